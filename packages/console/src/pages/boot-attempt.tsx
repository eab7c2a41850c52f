/** One boot of one machine, as the flight recorder saw it. */
import { boot_get, boot_text } from '@hostwright/api/nouns/boot';
import { API_PREFIX } from '@hostwright/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { BootOutcome, NoBootenv } from '../boot/boot-table.tsx';
import { BootTimeline } from '../boot/timeline.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

const STRANGER_MS = 2000;

export const BootAttemptPage = () => {
  const { boot: id } = useParams({ from: '/inside/boots/$boot' });
  const { data: boot, error } = useQuery({
    ...reading(boot_get, { params: { boot: Number(id) } }),
    // boots of strangers make no events, so that a flood of them does not
    refetchInterval: ({ state: { data } }) =>
      data?.nodeId === null && data.helloAt === null ? STRANGER_MS : false,
  });
  const machine = boot?.node ?? boot?.mac ?? 'a machine';
  useCrumbs({ label: 'Boot', to: '/boots' }, { label: `Boot ${id}` });
  if (boot === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <span className="row wrap">
          Boot of {machine} <BootOutcome boot={boot} />
        </span>
      }
      lead="Everything that was asked and answered, from power to the first word of its agent."
      actions={
        <a
          className="btn"
          href={`${API_PREFIX}${boot_text.path.replace(':boot', String(boot.id))}`}
          download={`boot-${boot.id}.txt`}
        >
          <Icon name="download" /> Download as text
        </a>
      }
    >
      <div className="grid-side">
        <Card title="Flight recorder">
          {boot.timeline.length === 0 ? (
            <Empty icon="clock" title="Nothing was seen yet" />
          ) : (
            <BootTimeline timeline={boot.timeline} />
          )}
        </Card>
        <Card title="Facts">
          <dl className="facts">
            <dt>Node</dt>
            <dd>
              {boot.node === null ? (
                <span className="faint">none: a stranger</span>
              ) : (
                <Link to="/nodes/$node" params={{ node: boot.node }}>
                  {boot.node}
                </Link>
              )}
            </dd>
            <dt>Booted</dt>
            <dd>
              {boot.bootenv === null ? (
                <NoBootenv boot={boot} />
              ) : (
                <Link to="/bootenvs/$bootenv" params={{ bootenv: boot.bootenv }}>
                  {boot.bootenv}
                </Link>
              )}
            </dd>
            <dt>MAC</dt>
            <dd className="mono">{boot.mac ?? <span className="faint">not known</span>}</dd>
            <dt>UUID</dt>
            <dd className="mono">{boot.systemUuid ?? <span className="faint">not known</span>}</dd>
            <dt>Firmware</dt>
            <dd>{boot.firmware}</dd>
            <dt>Began</dt>
            <dd>
              <TimeAgo at={boot.startedAt} />
            </dd>
            <dt>Told what</dt>
            <dd>
              <TimeAgo at={boot.scriptAt} />
            </dd>
            <dt>Said hello</dt>
            <dd>
              <TimeAgo at={boot.helloAt} />
            </dd>
          </dl>
        </Card>
      </div>
    </Page>
  );
};
