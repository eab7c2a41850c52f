/** One machine: why in one sentence at the top, then what it is, does and did. */
import { event_list } from '@hostwright/api/nouns/event';
import { node_attribs, node_get, node_why, type Node } from '@hostwright/api/nouns/node';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { EventTable } from '../events/event-table.tsx';
import { NodeActions } from '../node/actions.tsx';
import { AttribTable } from '../node/attrib-table.tsx';
import { Facts } from '../node/facts.tsx';
import { BootHistory } from '../node/boot-history.tsx';
import { OpenIntents } from '../boot/intents.tsx';
import { NodeNetworks } from '../node/networks.tsx';
import { Labels } from '../node/labels.tsx';
import { RunTable } from '../run/run-table.tsx';
import { reading } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TAB } from '../ui/tab-link.ts';
import { State } from '../ui/state.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { WhyLine } from '../ui/why-line.tsx';
import { Table } from '../ui/table.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const TABS = [
  ['overview', 'Overview'],
  ['runs', 'Runs'],
  ['attribs', 'Attributes'],
  ['history', 'Boots and events'],
] as const;

const Noderoles = ({ node }: { readonly node: string }) => {
  const { data } = useQuery(
    reading(noderole_list, { query: { node, sort: 'cohort', limit: 500 } }),
  );
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty
        icon="role"
        title="No role yet"
        actions={
          <Link className="btn" to="/deployments">
            To the deployments
          </Link>
        }
      >
        Open a deployment and drag this machine onto a role.
      </Empty>
    );
  return (
    <Table
      label="Noderoles in order of work"
      headings={['Role', 'State', 'Deployment', 'Reason', 'Since']}
    >
      {data.items.map((each) => (
        <tr key={each.id}>
          <td>
            <Link
              className="strong nowrap"
              to="/noderoles/$noderole"
              params={{ noderole: String(each.id) }}
            >
              {each.role}
            </Link>
          </td>
          <td>
            <State look={each.state} />
            {each.drifted ? <span className="badge warn">drifted</span> : null}
            {each.degradedBy === null ? null : <span className="badge warn">degraded</span>}
          </td>
          <td>
            <Link to="/deployments/$deployment" params={{ deployment: each.deployment }}>
              {each.deployment}
            </Link>
          </td>
          <td className="muted clip" title={each.reason}>
            {each.reason === '' && each.holds.length > 0
              ? `held: ${each.holds.join(', ')}`
              : each.reason}
          </td>
          <td className="faint">
            <TimeAgo at={each.stateSince} />
          </td>
        </tr>
      ))}
    </Table>
  );
};

const Overview = ({ node }: { readonly node: Node }) => (
  <div className="grid-side">
    <div className="stack loose">
      <Card title="Noderoles in order of work" flush>
        <Noderoles node={node.name} />
      </Card>
      <NodeNetworks node={node.name} />
      <Card title="Facts">
        <Facts facts={node.discovery} />
      </Card>
    </div>
    <div className="stack">
      <Card title="Machine">
        <dl className="facts">
          <dt>Alive</dt>
          <dd>
            {node.alive ? (
              <span className="badge good">alive</span>
            ) : (
              <span className="badge bad">not alive</span>
            )}{' '}
            <span className="faint">{node.aliveReason}</span>
          </dd>
          <dt>Seen</dt>
          <dd>
            <TimeAgo at={node.lastSeenAt} />
          </dd>
          <dt>Deployment</dt>
          <dd>
            <Link to="/deployments/$deployment" params={{ deployment: node.deployment }}>
              {node.deployment}
            </Link>
          </dd>
          <dt>Boots next</dt>
          <dd>
            <Link to="/bootenvs/$bootenv" params={{ bootenv: node.bootenv }}>
              {node.bootenv}
            </Link>
          </dd>
          <dt>Boots seen</dt>
          <dd>{node.bootEpoch}</dd>
          <dt>MACs</dt>
          <dd className="mono">
            {node.macs.join(', ') || <span className="faint">none known</span>}
          </dd>
          <dt>Serial</dt>
          <dd className="mono">{node.serial ?? <span className="faint">not known</span>}</dd>
          <dt>UUID</dt>
          <dd className="mono">{node.systemUuid ?? <span className="faint">not known</span>}</dd>
          <dt>Joined</dt>
          <dd>
            <TimeAgo at={node.createdAt} />
          </dd>
          {node.groups.length === 0 ? null : (
            <>
              <dt>Groups</dt>
              <dd className="row wrap">
                {node.groups.map((group) => (
                  <Link key={group} to="/groups/$group" params={{ group }}>
                    {group}
                  </Link>
                ))}
              </dd>
            </>
          )}
        </dl>
      </Card>
      <Labels node={node} />
    </div>
  </div>
);

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
          <EventTable events={data.items} />
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
