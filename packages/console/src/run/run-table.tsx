import type { Run } from '@hostwright/api/nouns/run';
import { run_cancel } from '@hostwright/api/nouns/run';
import { noderole_retry } from '@hostwright/api/nouns/noderole';
import { Link } from '@tanstack/react-router';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Icon } from '../ui/icon.tsx';
import { formatSpan, TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { Status } from './status.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';

const span = (run: Run): string =>
  run.startedAt === null || run.endedAt === null
    ? ''
    : formatSpan(new Date(run.endedAt).getTime() - new Date(run.startedAt).getTime());

export const RunActions = ({ run }: { readonly run: Run }) => {
  const may = useMay('operator', [run.deploymentId]);
  const cancel = useChange(() => send(run_cancel, { params: { run: run.id } }), {
    onSuccess: () => say('Cancelling', `${run.role} on ${run.node}`),
  });
  const retry = useChange(() => send(noderole_retry, { params: { noderole: run.noderoleId } }), {
    onSuccess: () => say('It will run again', `${run.role} on ${run.node}`),
  });
  if (!may) return null;
  if (run.status === 'running' || run.status === 'waiting')
    return (
      <button
        className="btn small"
        onClick={() => cancel.mutate(undefined)}
        disabled={cancel.isPending}
      >
        <Icon name="stop" /> Cancel
      </button>
    );
  if (run.status === 'failed' || run.status === 'cancelled')
    return (
      <button
        className="btn small"
        onClick={() => retry.mutate(undefined)}
        disabled={retry.isPending}
      >
        <Icon name="retry" /> Retry
      </button>
    );
  return null;
};

export const RunTable = ({
  runs,
  hideNode = false,
  actions = true,
}: {
  readonly runs: readonly Run[];
  readonly hideNode?: boolean;
  readonly actions?: boolean;
}) => (
  <Table
    label="Runs"
    headings={[
      'Run',
      'Role',
      ...(hideNode ? [] : ['Node']),
      'Status',
      { label: 'What happened', wide: true },
      'Started',
      { label: 'Took', wide: true },
      ...(actions ? [ACTIONS] : []),
    ]}
  >
    {runs.map((run) => (
      <tr key={run.id}>
        <td>
          <Link className="num" to="/runs/$run" params={{ run: String(run.id) }}>
            {run.id}
          </Link>
        </td>
        <td>
          <Link
            className="strong nowrap"
            to="/noderoles/$noderole"
            params={{ noderole: String(run.noderoleId) }}
          >
            {run.role}
          </Link>
          {run.kind === 'run' ? null : <span className="badge">{run.kind}</span>}
        </td>
        {hideNode ? null : (
          <td>
            <Link className="nowrap" to="/nodes/$node" params={{ node: run.node }}>
              {run.node}
            </Link>
          </td>
        )}
        <td>
          <Status status={run.status} />
        </td>
        <td className="muted clip wide-only">
          {run.error ?? (run.waitingFor === null ? run.cause : `waits for ${run.waitingFor}`)}
        </td>
        <td className="faint">
          <TimeAgo at={run.startedAt ?? run.createdAt} />
        </td>
        <td className="num nowrap wide-only">{span(run)}</td>
        {actions ? (
          <td>
            <span className="actions">
              <RunActions run={run} />
            </span>
          </td>
        ) : null}
      </tr>
    ))}
  </Table>
);
