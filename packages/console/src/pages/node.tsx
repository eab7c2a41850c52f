/** One machine: why in one sentence at the top, then what it is, does and did. */
import { event_list } from '@hostwright/api/nouns/event';
import { node_attribs, node_why } from '@hostwright/api/nouns/node-explain';
import { node_get } from '@hostwright/api/nouns/node';
import { run_list } from '@hostwright/api/nouns/run';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { EventTable } from '../events/event-table.tsx';
import { NodeActions } from '../node/actions.tsx';
import { AttribTable } from '../node/attrib-table.tsx';
import { BootHistory } from '../node/boot-history.tsx';
import { Overview } from '../node/overview.tsx';
import { OpenIntents } from '../boot/intents.tsx';
import { RunTable } from '../run/run-table.tsx';
import { reading } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TAB } from '../ui/tab-link.ts';
import { State } from '../ui/state.tsx';
import { WhyLine } from '../ui/why-line.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const TABS = [
  ['overview', 'Overview'],
  ['runs', 'Runs'],
  ['attribs', 'Attributes'],
  ['history', 'Boots and events'],
] as const;

const Runs = ({ node }: { readonly node: string }) => {
  const { data } = useQuery(reading(run_list, { query: { node, limit: 100 } }));
  if (data === undefined) return <Skeleton />;
  return (
    <Card flush>
      {data.items.length === 0 ? (
        <Empty icon="clock" title="Nothing has run here yet" />
      ) : (
        <RunTable runs={data.items} hideNode />
      )}
    </Card>
  );
};

const Attribs = ({ node }: { readonly node: string }) => {
  const { data } = useQuery(reading(node_attribs, { params: { node } }));
  return data === undefined ? (
    <Skeleton />
  ) : (
    <Card flush>
      <AttribTable items={data.items} />
    </Card>
  );
};

const History = ({ node }: { readonly node: string }) => {
  const { data } = useQuery(reading(event_list, { query: { node, limit: 200 } }));
  return (
    <>
      <BootHistory node={node} />
      {data === undefined ? (
        <Skeleton />
      ) : (
        <Card title="Events" flush>
          {/* what is seen of a boot is told above, line by line */}
          <EventTable events={data.items.filter(({ kind }) => kind !== 'boot.seen')} />
        </Card>
      )}
    </>
  );
};

export const NodePage = () => {
  const { node: name } = useParams({ from: '/inside/nodes/$node' });
  const { tab = 'overview' } = useSearch({ from: '/inside/nodes/$node' });
  const { data: node, error } = useQuery(reading(node_get, { params: { node: name } }));
  const { data: why } = useQuery(reading(node_why, { params: { node: name } }));
  const may = useMay('operator', node === undefined ? [] : [node.deploymentId]);
  useCrumbs({ label: 'Fleet', to: '/fleet' }, { label: node?.name ?? name });
  if (node === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <span className="row wrap">
          {node.name}{' '}
          <State
            look={
              node.alive || node.rollup === 'error' || node.rollup === 'transition'
                ? node.rollup === 'undefined' && node.admin
                  ? 'active'
                  : node.rollup
                : 'down'
            }
          />
          {node.admin ? <span className="badge info">admin node</span> : null}
          {node.available ? null : <span className="badge warn">out of service</span>}
        </span>
      }
      lead={node.description}
      actions={may ? <NodeActions node={node} /> : undefined}
    >
      {why === undefined ? null : (
        <WhyLine
          sentence={why.sentence}
          done={why.cause === null || node.rollup === 'active'}
          cause={why.cause}
          command={why.command}
        />
      )}
      <OpenIntents node={node.name} may={may} />
      <nav className="tabs" aria-label="Views of the node">
        {TABS.map(([key, label]) => (
          <Link
            key={key}
            to="/nodes/$node"
            params={{ node: name }}
            search={{ tab: key === 'overview' ? undefined : key }}
            activeOptions={TAB}
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === 'runs' ? (
        <Runs node={name} />
      ) : tab === 'attribs' ? (
        <Attribs node={name} />
      ) : tab === 'history' ? (
        <History node={name} />
      ) : (
        <Overview node={node} />
      )}
    </Page>
  );
};
