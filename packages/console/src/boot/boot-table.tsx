/** Boot attempts as they were recorded, newest first. */
import type { Answer } from '@hostwright/api';
import type { boot_list } from '@hostwright/api/nouns/boot';
import { Link } from '@tanstack/react-router';
import { Table } from '../ui/table.tsx';
import { formatSpan, TimeAgo } from '../ui/time-ago.tsx';

export type Boot = Answer<typeof boot_list>['items'][number];

const ENDS = {
  installed: ['good', 'installed'],
  erased: ['good', 'disks erased'],
  failed: ['bad', 'failed'],
  rescue: ['good', 'rescue is up'],
} as const;

export const BootOutcome = ({ boot }: { readonly boot: Boot }) => {
  if (boot.helloAt !== null)
    return (
      <span className="badge good" title="Its agent said hello">
        up after {formatSpan(Date.parse(boot.helloAt) - Date.parse(boot.startedAt))}
      </span>
    );
  if (boot.outcome !== null) {
    const [tone, text] = ENDS[boot.outcome];
    return <span className={`badge ${tone}`}>{text}</span>;
  }
  if (boot.refused > 0) return <span className="badge bad">refused</span>;
  return (
    <span className="badge warn">{boot.scriptAt === null ? 'not told yet' : 'under way'}</span>
  );
};

/** Told nothing yet is not told to boot the own disk. */
export const NoBootenv = ({ boot }: { readonly boot: Boot }) => (
  <span className="faint">{boot.scriptAt === null ? 'not told yet' : 'local disk'}</span>
);

export const BootTable = ({
  boots,
  hideNode = false,
}: {
  readonly boots: readonly Boot[];
  readonly hideNode?: boolean;
}) => (
  <Table
    label="Boots"
    compact
    headings={[
      'Boot',
      ...(hideNode ? [] : ['Machine']),
      'Outcome',
      'Booted',
      { label: 'Firmware', wide: true },
      { label: 'Last seen doing', wide: true },
      'Began',
    ]}
  >
    {boots.map((boot) => (
      <tr key={boot.id}>
        <td>
          <Link className="num" to="/boots/$boot" params={{ boot: String(boot.id) }}>
            {boot.id}
          </Link>
        </td>
        {hideNode ? null : (
          <td>
            {boot.node === null ? (
              <span className="mono">{boot.mac ?? boot.systemUuid ?? 'unknown'}</span>
            ) : (
              <Link to="/nodes/$node" params={{ node: boot.node }}>
                {boot.node}
              </Link>
            )}
          </td>
        )}
        <td>
          <BootOutcome boot={boot} />
        </td>
        <td>{boot.bootenv ?? <NoBootenv boot={boot} />}</td>
        <td className="muted wide-only">{boot.firmware}</td>
        <td className="muted clip wide-only" title={boot.lastText ?? undefined}>
          {boot.lastText}
        </td>
        <td className="faint">
          <TimeAgo at={boot.startedAt} />
        </td>
      </tr>
    ))}
  </Table>
);
