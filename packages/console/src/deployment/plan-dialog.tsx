/** Read what a commit would do, then do exactly that: the commit carries the hash of this plan. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_get } from '@hostwright/api/nouns/snapshot';
import { snapshot_plan, type Plan } from '@hostwright/api/nouns/snapshot-plan';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice, Skeleton } from '../ui/empty.tsx';
import { say } from '../ui/toast.tsx';
import { Consents, disksOf, keyOf } from './consents.tsx';
import { PlanDiff, planIsEmpty, planSentence } from './plan-diff.tsx';
import { NO_PACE, PaceFields, type Pace } from './pace-fields.tsx';

export const PlanDialog = (props: {
  readonly deployment: Deployment;
  readonly snapshotId: number;
  readonly mayCommit: boolean;
  readonly onClose: () => void;
}) => {
  const {
    data: newest,
    error,
    isFetching,
    refetch,
  } = useQuery({
    ...reading(snapshot_plan, { params: { snapshot: props.snapshotId } }),
    staleTime: 0,
  });
  const { data: snapshot } = useQuery(
    reading(snapshot_get, { params: { snapshot: props.snapshotId } }),
  );
  // what is committed is what was read: a newer plan is shown only when asked for
  const [plan, setPlan] = useState<Plan>();
  if (plan === undefined && newest !== undefined) setPlan(newest);
  const moved = plan !== undefined && newest !== undefined && newest.hash !== plan.hash;
  const over = snapshot !== undefined && snapshot.state !== 'proposed';
  const [message, setMessage] = useState('');
  const [pace, setPace] = useState<Pace>(NO_PACE);
  const [given, setGiven] = useState<ReadonlySet<string>>(new Set());
  const commit = useChange(
    (from: Plan) =>
      send(snapshot_commit, {
        params: { snapshot: props.snapshotId },
        body: {
          plan: from.hash,
          ...(message === '' ? {} : { message }),
          ...pace,
          consent: from.destructive
            .filter((item) => given.has(keyOf(item)))
            .map((item) => ({ role: item.role, node: item.node, disks: disksOf(item) })),
        },
      }),
    {
      quiet: true,
      onSuccess: (done) => {
        say(`Revision ${done.revision} committed`, 'The annealer takes it up now.');
        props.onClose();
      },
    },
  );
  const refused = (plan?.refusals.length ?? 0) > 0;
  return (
    <Dialog
      title={`Plan for ${props.deployment.name}`}
      wide
      onClose={props.onClose}
      footer={
        <>
          {plan === undefined ? null : (
            <span
              className="faint mono"
              title="The commit is refused if what this plan was made from has moved"
            >
              plan {plan.hash.slice(0, 12)}
            </span>
          )}
          <span className="grow" />
          <button className="btn quiet" onClick={props.onClose}>
            {props.mayCommit ? 'Not yet' : 'Close'}
          </button>
          {props.mayCommit ? (
            <button
              className="btn primary"
              disabled={
                plan === undefined ||
                error !== null ||
                refused ||
                moved ||
                over ||
                isFetching ||
                commit.isPending
              }
              onClick={() => plan !== undefined && commit.mutate(plan)}
            >
              {commit.isPending ? 'Committing…' : 'Commit'}
            </button>
          ) : null}
        </>
      }
    >
      {error === null ? null : <Trouble error={error} />}
      {plan === undefined ? (
        error === null ? (
          <Skeleton lines={6} />
        ) : null
      ) : (
        <div className="stack">
          {over && !commit.isSuccess ? (
            <Notice tone="warn">
              <strong>This proposal is no longer open: it was {snapshot.state} meanwhile</strong>
              <p className="muted">
                {snapshot.committedBy === null ? '' : `By ${snapshot.committedBy}. `}The time line
                shows what became of it.
              </p>
            </Notice>
          ) : null}
          {moved && !over ? (
            <Notice tone="warn">
              <strong>The proposal was changed while you read this</strong>
              <p className="muted">What stands below is not what a commit would do now.</p>
              <button className="btn small" onClick={() => setPlan(newest)}>
                Show the new plan
              </button>
            </Notice>
          ) : null}
          <p className="plan-sentence">{planSentence(plan)}</p>
          {commit.error === null || moved ? null : (
            <>
              <Trouble error={commit.error} />
              <button
                className="btn small"
                onClick={() =>
                  void refetch().then(({ data }) => {
                    setPlan(data);
                    commit.reset();
                  })
                }
              >
                Plan again
              </button>
            </>
          )}
          {refused ? (
            <Notice tone="bad">
              <strong>This cannot be committed as it is</strong>
              <ul>
                {plan.refusals.map((refusal) => (
                  <li key={refusal.path + refusal.message}>{refusal.message}</li>
                ))}
              </ul>
            </Notice>
          ) : null}
          {planIsEmpty(plan) ? null : <PlanDiff plan={plan} />}
          {props.mayCommit ? (
            <>
              <Consents plan={plan} given={given} onGive={setGiven} />
              <PaceFields pace={pace} onChange={setPace} />
              <div className="field">
                <label htmlFor="commit-message">Message</label>
                <input
                  id="commit-message"
                  className="input"
                  value={message}
                  onChange={(event) => setMessage(event.target.value)}
                  placeholder="Why, for the time line"
                  autoComplete="off"
                />
              </div>
            </>
          ) : null}
        </div>
      )}
    </Dialog>
  );
};
