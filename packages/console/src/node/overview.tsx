/** What a machine is and does: noderoles, networks, facts, labels. */
import type { Node } from '@hostwright/api/nouns/node';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reading } from '../session/client.ts';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Card } from '../ui/page.tsx';
import { State } from '../ui/state.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { Facts } from './facts.tsx';
import { Hammers } from './hammers.tsx';
import { Labels } from './labels.tsx';
import { NodeNetworks } from './networks.tsx';

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
  const reasons = data.items.some((each) => each.reason !== '' || each.holds.length > 0);
  return (
    <Table
      label="Noderoles in order of work"
      headings={['Role', 'State', 'Deployment', ...(reasons ? ['Reason'] : []), 'Since']}
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
          {reasons ? (
            <td className="muted clip" title={each.reason}>
              {each.reason === '' && each.holds.length > 0
                ? `held: ${each.holds.join(', ')}`
                : each.reason}
            </td>
          ) : null}
          <td className="faint">
            <TimeAgo at={each.stateSince} />
          </td>
        </tr>
      ))}
    </Table>
  );
};

export const Overview = ({ node }: { readonly node: Node }) => (
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
      {node.admin ? null : <Hammers node={node} />}
      <Labels node={node} />
    </div>
  </div>
);
