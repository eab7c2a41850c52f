/** All deployments as a tree, with how far each has come. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { inTreeOrder, NewDeployment, useDeployments, worstOf } from '../deployment/tree.tsx';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Card, Page } from '../ui/page.tsx';
import { StateCounts, StateMeter } from '../ui/state-counts.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

const Row = ({ item }: { readonly item: Deployment }) => (
  <tr>
    <td>
      <span className="row" style={{ paddingLeft: item.depth * 20 }}>
        <span className="tree-dot" data-state={worstOf(item)} />
        <Link className="strong" to="/deployments/$deployment" params={{ deployment: item.name }}>
          {item.name}
        </Link>
        {item.system ? <span className="badge">system</span> : null}
        {item.paused ? <span className="badge warn">paused</span> : null}
        {item.proposedSnapshotId === null ? null : <span className="badge info">proposal</span>}
      </span>
    </td>
    <td className="muted">{item.description}</td>
    <td className="end">{item.nodes.toLocaleString('en')}</td>
    <td>
      <StateMeter counts={item.noderoles} />
    </td>
    <td>
      <StateCounts counts={item.noderoles} />
    </td>
    <td className="faint">
      {item.committedRevision === null ? 'not committed' : `revision ${item.committedRevision}`}
    </td>
    <td className="faint">
      <TimeAgo at={item.updatedAt} />
    </td>
  </tr>
);

export const DeploymentsPage = () => {
  useCrumbs({ label: 'Deployments' });
  const { data, error } = useDeployments();
  const may = useMay('operator');
  const [creating, setCreating] = useState(false);
  const make = may ? (
    <button className="btn primary" onClick={() => setCreating(true)}>
      <Icon name="plus" /> New deployment
    </button>
  ) : undefined;
  return (
    <Page
      title="Deployments"
      lead="A deployment is the scope of work: what its machines should be. Data flows from the top of the tree down; every commit can be undone."
      actions={make}
    >
      {error === null ? null : <Trouble error={error} />}
      {data === undefined && error === null ? <Skeleton /> : null}
      {data === undefined ? null : (
        <Card flush>
          <div className="table-wrap" tabIndex={0} role="region" aria-label="Deployments">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">For</th>
                  <th scope="col" className="end">
                    Nodes
                  </th>
                  <th scope="col">Progress</th>
                  <th scope="col">Noderoles</th>
                  <th scope="col">Committed</th>
                  <th scope="col">Changed</th>
                </tr>
              </thead>
              <tbody>
                {inTreeOrder(data.items).map((item) => (
                  <Row key={item.id} item={item} />
                ))}
              </tbody>
            </table>
          </div>
        </Card>
      )}
      {data !== undefined && data.items.length <= 1 ? (
        <Empty icon="deployment" title="Only the system deployment so far" actions={make}>
          The system deployment discovers machines by itself. Make one of your own to give them
          work: a site, a cluster, a stage.
        </Empty>
      ) : null}
      {creating ? <NewDeployment parent="system" onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
