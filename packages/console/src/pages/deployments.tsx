/** All deployments as a tree, with how far each has come. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { DeploymentForm } from '../deployment/deployment-form.tsx';
import { indentOf, inTreeOrder, useDeployments, worstOf } from '../deployment/tree-order.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { StateCounts, StateMeter } from '../ui/state-counts.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { Table } from '../ui/table.tsx';

const Row = ({ item }: { readonly item: Deployment }) => (
  <tr>
    <td>
      <span className="row" style={{ paddingLeft: indentOf(item, 20) }}>
        <span className="tree-dot" data-state={worstOf(item)} />
        <Link className="strong" to="/deployments/$deployment" params={{ deployment: item.name }}>
          {item.name}
        </Link>
        {item.system ? <span className="badge">system</span> : null}
        {item.paused ? <span className="badge warn">paused</span> : null}
        {item.proposedSnapshotId === null ? null : <span className="badge info">proposal</span>}
      </span>
    </td>
    <td className="muted prose wide-only">{item.description}</td>
    <td className="end">{item.nodes.toLocaleString('en')}</td>
    <td className="wide-only">
      <StateMeter counts={item.noderoles} />
    </td>
    <td>
      <StateCounts counts={item.noderoles} />
    </td>
    <td className="faint wide-only">
      {item.committedRevision === null ? 'not committed' : `revision ${item.committedRevision}`}
    </td>
    <td className="faint">
      <TimeAgo at={item.updatedAt} />
    </td>
  </tr>
);

export const DeploymentsPage = () => {
  useCrumbs({ label: 'Deployments' });
  const deployments = useDeployments();
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
      <Loaded read={deployments}>
        {(data) => (
          <Card flush>
            <Table
              label="Deployments"
              headings={[
                'Name',
                { label: 'For', wide: true },
                { label: 'Nodes', end: true },
                { label: 'Progress', wide: true },
                'Noderoles',
                { label: 'Committed', wide: true },
                'Changed',
              ]}
            >
              {inTreeOrder(data.items).map((item) => (
                <Row key={item.id} item={item} />
              ))}
            </Table>
          </Card>
        )}
      </Loaded>
      {deployments.data !== undefined && deployments.data.items.length <= 1 ? (
        <Empty icon="deployment" title="Only the system deployment so far" actions={make}>
          The system deployment discovers machines by itself. Make one of your own to give them
          work: a site, a cluster, a stage.
        </Empty>
      ) : null}
      {creating ? <DeploymentForm parent="system" onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
