/** One deployment: its matrix, graph, data and history, and the proposal being made. */
import { deployment_get } from '@hostwright/api/nouns/deployment';
import { deployment_why } from '@hostwright/api/nouns/deployment-explain';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { DataTab } from '../deployment/data-tab.tsx';
import { DeploymentActions } from '../deployment/actions.tsx';
import { MatrixTab } from '../deployment/matrix-tab.tsx';
import { ProposalBar } from '../deployment/proposal-bar.tsx';
import { Timeline } from '../deployment/timeline.tsx';
import { DeploymentTree } from '../deployment/tree.tsx';
import { lineOf, useDeployments } from '../deployment/tree-order.ts';
import { reading } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Skeleton } from '../ui/empty.tsx';
import { TAB } from '../ui/tab-link.ts';
import { StateCounts } from '../ui/state-counts.tsx';
import { WhyLine } from '../ui/why-line.tsx';

const GraphTab = lazy(() =>
  import('../graph/graph-tab.tsx').then((module) => ({ default: module.GraphTab })),
);

const TABS = [
  ['matrix', 'Matrix'],
  ['graph', 'Graph'],
  ['data', 'Roles and data'],
  ['history', 'Time line'],
] as const;

const DeploymentWhy = ({ name }: { readonly name: string }) => {
  const { data } = useQuery(reading(deployment_why, { params: { deployment: name } }));
  const total = Object.values(data?.noderoles ?? {}).reduce((sum, count) => sum + count, 0);
  if (data === undefined || total === 0) return null;
  const [first] = data.causes;
  return (
    <WhyLine
      sentence={data.sentence}
      done={data.done}
      cause={first?.cause ?? null}
      command={first?.command ?? null}
    />
  );
};

export const DeploymentPage = () => {
  const { deployment: name } = useParams({ from: '/inside/deployments/$deployment' });
  const search = useSearch({ from: '/inside/deployments/$deployment' });
  const { data: deployment, error } = useQuery(
    reading(deployment_get, { params: { deployment: name } }),
  );
  const { data: all } = useDeployments();
  const mayEdit =
    useMay('operator', lineOf(all?.items ?? [], deployment?.id ?? 0)) &&
    deployment?.system === false;
  useCrumbs({ label: 'Deployments', to: '/deployments' }, { label: deployment?.name ?? name });
  const tab = search.tab ?? 'matrix';
  return (
    <div className="deploy">
      <DeploymentTree current={name} />
      <div className="deploy-main">
        {deployment === undefined ? (
          <div className="deploy-pad">
            {error === null ? <Skeleton /> : <Trouble error={error} />}
          </div>
        ) : (
          <>
            <div className="deploy-head">
              <div className="row wrap">
                <h1>
                  {deployment.name}
                  {deployment.paused ? <span className="badge warn">paused</span> : null}
                </h1>
                <StateCounts counts={deployment.noderoles} />
                <DeploymentActions deployment={deployment} mayEdit={mayEdit} />
              </div>
              {deployment.description === '' ? null : (
                <p className="muted">{deployment.description}</p>
              )}
              <DeploymentWhy name={deployment.name} />
              <nav className="tabs" aria-label="Views of the deployment">
                {TABS.map(([key, label]) => (
                  <Link
                    key={key}
                    to="/deployments/$deployment"
                    params={{ deployment: name }}
                    search={{ tab: key === 'matrix' ? undefined : key }}
                    activeOptions={TAB}
                  >
                    {label}
                  </Link>
                ))}
              </nav>
            </div>
            <ProposalBar key={deployment.id} deployment={deployment} mayEdit={mayEdit} />
            <div className="deploy-body">
              {tab === 'matrix' ? (
                <MatrixTab key={deployment.id} deployment={deployment} mayEdit={mayEdit} />
              ) : tab === 'graph' ? (
                <Suspense fallback={<Skeleton />}>
                  <GraphTab deployment={deployment} node={search.node} />
                </Suspense>
              ) : (
                <div className="scroll deploy-pad" tabIndex={-1}>
                  {tab === 'data' ? (
                    <DataTab deployment={deployment} chosen={search.role} mayEdit={mayEdit} />
                  ) : (
                    <Timeline deployment={deployment} mayEdit={mayEdit} />
                  )}
                </div>
              )}
            </div>
          </>
        )}
      </div>
    </div>
  );
};
