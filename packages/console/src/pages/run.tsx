import { noderole_why } from '@hostwright/api/nouns/noderole';
import { run_get, type Run } from '@hostwright/api/nouns/run';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { LiveLog } from '../run/live-log.tsx';
import { RunActions } from '../run/run-table.tsx';
import { Status } from '../run/status.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Notice } from '../ui/empty.tsx';
import { Json } from '../ui/json.tsx';
import { Card, Page } from '../ui/page.tsx';
import { formatSpan, TimeAgo } from '../ui/time-ago.tsx';
import { WhyLine } from '../ui/why-line.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const BLAME = {
  node: 'the node',
  content: 'the role’s content',
  us: 'Hostwright itself',
  operator: 'a person',
} as const;

/** What went wrong, whose it is, and what to do. */
const Failed = ({ run }: { readonly run: Run }) => {
  const { data } = useQuery(reading(noderole_why, { params: { noderole: run.noderoleId } }));
  const current = data?.cause?.runId === run.id;
  return (
    <WhyLine
      sentence={current ? data.sentence : (run.error ?? 'It failed without saying why.')}
      done={false}
      cause={null}
      command={current ? data.command : null}
    >
      <p className="muted">
        {run.blame === null ? '' : `Put down to ${BLAME[run.blame]}. `}
        {run.retryable === true
          ? 'Trying again may help.'
          : 'Trying again without a change will hardly help.'}
      </p>
    </WhyLine>
  );
};

export const RunPage = () => {
  const { run: id } = useParams({ from: '/inside/runs/$run' });
  const { data: run, error } = useQuery(reading(run_get, { params: { run: id } }));
  useCrumbs({ label: 'Annealer', to: '/annealer' }, { label: `Run ${id}` });
  if (run === undefined) return <LoadingPage error={error} />;
  const took =
    run.startedAt === null
      ? null
      : new Date(run.endedAt ?? Date.now()).getTime() - new Date(run.startedAt).getTime();
  return (
    <Page
      title={
        <>
          {run.role} on {run.node}
        </>
      }
      lead={
        <>
          Run {run.id}, attempt {run.attempt}: {run.cause}
        </>
      }
      actions={<RunActions run={run} />}
    >
      {run.status === 'failed' ? (
        <Failed run={run} />
      ) : run.error === null ? null : (
        <Notice tone="bad">{run.error}</Notice>
      )}
      <div className="grid-side">
        <div className="stack">
          <LiveLog runId={run.id} />
        </div>
        <div className="stack">
          <Card title="Facts">
            <dl className="facts">
              <dt>Status</dt>
              <dd>
                <Status status={run.status} />
              </dd>
              <dt>Node</dt>
              <dd>
                <Link to="/nodes/$node" params={{ node: run.node }}>
                  {run.node}
                </Link>
              </dd>
              <dt>Noderole</dt>
              <dd>
                <Link to="/noderoles/$noderole" params={{ noderole: String(run.noderoleId) }}>
                  {run.role}
                </Link>
              </dd>
              <dt>Deployment</dt>
              <dd>
                <Link to="/deployments/$deployment" params={{ deployment: run.deployment }}>
                  {run.deployment}
                </Link>
              </dd>
              <dt>Jig</dt>
              <dd>
                {run.jig}, {run.lane} lane
              </dd>
              <dt>Worker</dt>
              <dd>{run.worker ?? <span className="faint">none holds it</span>}</dd>
              <dt>Started</dt>
              <dd>
                <TimeAgo at={run.startedAt} />
              </dd>
              <dt>{run.endedAt === null ? 'So far' : 'Took'}</dt>
              <dd>{took === null ? '' : formatSpan(took)}</dd>
              {run.endedAt === null ? (
                <>
                  <dt>Deadline</dt>
                  <dd>
                    <TimeAgo at={run.deadlineAt} />
                  </dd>
                </>
              ) : null}
              {run.waitingFor === null ? null : (
                <>
                  <dt>Waits for</dt>
                  <dd>{run.waitingFor}</dd>
                </>
              )}
            </dl>
          </Card>
          {run.attribs === null ? null : (
            <details className="card">
              <summary className="summary">Attributes frozen for this run</summary>
              <div className="body scroll" tabIndex={0}>
                <Json value={run.attribs} />
              </div>
            </details>
          )}
        </div>
      </div>
    </Page>
  );
};
