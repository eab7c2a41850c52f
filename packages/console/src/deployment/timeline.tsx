/** The history of a deployment: its snapshots, compared, rolled back to, recalled. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { deployment_rollback } from '@hostwright/api/nouns/deployment-history';
import { snapshot_list, type Snapshot } from '@hostwright/api/nouns/snapshot';
import { snapshot_progress, snapshot_recall } from '@hostwright/api/nouns/snapshot-commit';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { CompareDialog } from './compare-dialog.tsx';

const TONE = { committed: 'good', proposed: 'info', recalled: 'warn', superseded: '' } as const;

const Progress = ({ snapshot }: { readonly snapshot: Snapshot }) => {
  const { data } = useQuery(reading(snapshot_progress, { params: { snapshot: snapshot.id } }));
  if (data === undefined || data.total === 0) return null;
  return (
    <div className="row">
      <div
        className="meter grow"
        role="img"
        aria-label={`${data.done} of ${data.total} done, ${data.failed} failed`}
      >
        <i data-state="active" style={{ width: `${(100 * data.done) / data.total}%` }} />
        <i data-state="error" style={{ width: `${(100 * data.failed) / data.total}%` }} />
      </div>
      <span className="faint num">
        {data.done} of {data.total} done{data.failed > 0 ? `, ${data.failed} failed` : ''}
      </span>
    </div>
  );
};

const RecallDialog = (props: { readonly snapshot: Snapshot; readonly onClose: () => void }) => {
  const recall = useChange(
    (running: 'drain' | 'cancel') =>
      send(snapshot_recall, { params: { snapshot: props.snapshot.id }, body: { running } }),
    {
      onSuccess: () => {
        say('Recalled', 'Its content is a proposal again.');
        props.onClose();
      },
    },
  );
  return (
    <Dialog
      title={`Recall revision ${props.snapshot.revision}`}
      onClose={props.onClose}
      footer={
        <>
          <button className="btn quiet" onClick={props.onClose}>
            Keep going
          </button>
          <button className="btn" onClick={() => recall.mutate('drain')}>
            Recall, let running ones end
          </button>
          <button className="btn danger" onClick={() => recall.mutate('cancel')}>
            Recall and cancel running ones
          </button>
        </>
      }
    >
      <p className="muted">
        What never ran returns to proposed; what is active stays. A new proposal with the same
        content is opened, so that you can change it and commit again.
      </p>
    </Dialog>
  );
};

const pace = (snapshot: Snapshot): string =>
  [
    snapshot.canary === null ? '' : `canary ${snapshot.canary}`,
    snapshot.rollingLimit === null ? '' : `${snapshot.rollingLimit} at once`,
    snapshot.stopAfterFailures === null ? '' : `stops after ${snapshot.stopAfterFailures}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');

export const Timeline = ({
  deployment,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly mayEdit: boolean;
}) => {
  const { data, error } = useQuery(
    reading(snapshot_list, { params: { deployment: deployment.name }, query: { limit: 200 } }),
  );
  const navigate = useNavigate();
  const [recalling, setRecalling] = useState<Snapshot>();
  const [comparing, setComparing] = useState<{ readonly from: number; readonly to: number }>();
  const rollback = useChange(
    (revision: number) =>
      send(deployment_rollback, { params: { deployment: deployment.name }, body: { revision } }),
    {
      onSuccess: (made) => {
        say(
          `Proposal ${made.revision} holds revision ${made.basedOn ?? ''} again`,
          'Review the plan, then commit.',
        );
        void navigate({
          to: '/deployments/$deployment',
          params: { deployment: deployment.name },
          search: {},
        });
      },
    },
  );
  if (error !== null) return <Trouble error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty icon="clock" title="No history yet">
        Each commit becomes an entry here: what it changed, who did it, and a way back to it.
      </Empty>
    );
  const newest = data.items[0]?.revision ?? 0;
  return (
    <>
      <ol className="timeline" aria-label="Snapshots, newest first">
        {data.items.map((snapshot) => (
          <li key={snapshot.id}>
            <span className="timeline-dot" data-state={snapshot.state} />
            <div className="row wrap">
              <strong>Revision {snapshot.revision}</strong>
              <span className={`badge ${TONE[snapshot.state]}`}>{snapshot.state}</span>
              {snapshot.basedOn === null ? null : (
                <span className="faint">content of revision {snapshot.basedOn}</span>
              )}
              <span className="faint">
                {snapshot.committedBy === null
                  ? `opened by ${snapshot.createdBy}`
                  : `by ${snapshot.committedBy}`}
                , <TimeAgo at={snapshot.committedAt ?? snapshot.createdAt} />
              </span>
              <span className="row end">
                {snapshot.revision > 1 || newest > 1 ? (
                  <button
                    className="btn quiet small"
                    onClick={() =>
                      setComparing({
                        from:
                          snapshot.revision === newest
                            ? Math.max(0, snapshot.revision - 1)
                            : snapshot.revision,
                        to: newest,
                      })
                    }
                  >
                    <Icon name="graph" /> Compare
                  </button>
                ) : null}
                {mayEdit && snapshot.state === 'committed' && snapshot.finishedAt === null ? (
                  <button className="btn quiet small" onClick={() => setRecalling(snapshot)}>
                    <Icon name="stop" /> Recall
                  </button>
                ) : null}
                {mayEdit &&
                (snapshot.state === 'superseded' || snapshot.state === 'recalled') &&
                deployment.proposedSnapshotId === null ? (
                  <button
                    className="btn small"
                    onClick={() => rollback.mutate(snapshot.revision)}
                    disabled={rollback.isPending}
                  >
                    <Icon name="back" /> Roll back to this
                  </button>
                ) : null}
              </span>
            </div>
            {snapshot.message === '' ? null : <p>{snapshot.message}</p>}
            {pace(snapshot) === '' ? null : <p className="faint">{pace(snapshot)}</p>}
            {snapshot.haltedReason === null ? null : (
              <p className="state" data-state="error">
                {snapshot.haltedReason}
              </p>
            )}
            {snapshot.state === 'committed' ? <Progress snapshot={snapshot} /> : null}
          </li>
        ))}
      </ol>
      {recalling === undefined ? null : (
        <RecallDialog snapshot={recalling} onClose={() => setRecalling(undefined)} />
      )}
      {comparing === undefined ? null : (
        <CompareDialog
          deployment={deployment.name}
          revisions={data.items.map((each) => each.revision)}
          start={comparing}
          onClose={() => setComparing(undefined)}
        />
      )}
    </>
  );
};
