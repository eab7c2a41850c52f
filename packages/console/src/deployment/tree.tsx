/** The tree of deployments, parents first, each with a dot for its worst state. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../session/me.ts';
import { Icon } from '../ui/icon.tsx';
import { DeploymentForm } from './deployment-form.tsx';
import { indentOf, inTreeOrder, useDeployments, worstOf } from './tree-order.ts';

export const DeploymentTree = ({ current }: { readonly current: string }) => {
  const { data } = useDeployments();
  const may = useMay('operator');
  const [creating, setCreating] = useState(false);
  return (
    <aside className="deploy-tree" aria-label="Deployments">
      <div className="row">
        <h2 className="grow">Deployments</h2>
        {may ? (
          <button
            className="btn quiet icon small"
            aria-label="New deployment"
            onClick={() => setCreating(true)}
          >
            <Icon name="plus" />
          </button>
        ) : null}
      </div>
      <nav className="scroll grow" aria-label="Tree of deployments">
        {inTreeOrder(data?.items ?? []).map((item) => (
          <Link
            key={item.id}
            to="/deployments/$deployment"
            params={{ deployment: item.name }}
            className="tree-link"
            aria-current={item.name === current ? 'page' : undefined}
            style={{ paddingLeft: 8 + indentOf(item, 14) }}
            title={item.name}
          >
            <span className="tree-dot" data-state={worstOf(item)} />
            <span className="truncate">{item.name}</span>
            {item.proposedSnapshotId === null ? (
              <span className="count">{item.nodes}</span>
            ) : (
              <span className="badge info end">proposal</span>
            )}
          </Link>
        ))}
      </nav>
      {creating ? <DeploymentForm parent={current} onClose={() => setCreating(false)} /> : null}
    </aside>
  );
};
