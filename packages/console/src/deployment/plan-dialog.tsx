/** Read what a commit would do, then do exactly that: the commit carries the hash of this plan. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { snapshot_commit, snapshot_plan, type Plan } from '@hostwright/api/nouns/snapshot';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice, Skeleton } from '../ui/empty.tsx';
import { say } from '../ui/toast.tsx';
import { PlanDiff, planIsEmpty, planSentence } from './plan-diff.tsx';
import { NO_PACE, PaceFields, type Pace } from './pace-fields.tsx';

const keyOf = (item: { readonly role: string; readonly node: string }) =>
  `${item.role}/${item.node}`;
const disksOf = (item: Plan['destructive'][number]): string[] =>
  item.disks.map((disk) => disk.name);

const Consents = (props: {
  readonly plan: Plan;
  readonly given: ReadonlySet<string>;
  readonly onGive: (given: ReadonlySet<string>) => void;
}) => {
  const { destructive } = props.plan;
  if (destructive.length === 0) return null;
  const toggle = (key: string) => {
    const next = new Set(props.given);
    if (!next.delete(key)) next.add(key);
    props.onGive(next);
  };
  const all = destructive.every((item) => props.given.has(keyOf(item)));
  return (
    <Notice tone="warn">
      <strong>What cannot be undone</strong>
      <p className="muted">
        Each is done at most once, and only with your leave. Without it, the noderole waits.
      </p>
      {destructive.length > 1 ? (
        <label className="check">
          <input
            type="checkbox"
            checked={all}
            onChange={() => props.onGive(new Set(all ? [] : destructive.map(keyOf)))}
          />{' '}
          all {destructive.length}
        </label>
      ) : null}
      <div className="stack tight">
        {destructive.map((item) => (
          <label key={keyOf(item)} className="check">
            <input
              type="checkbox"
              checked={props.given.has(keyOf(item))}
              onChange={() => toggle(keyOf(item))}
            />
            <span>
              <strong>{item.role}</strong> on {item.node}
              {disksOf(item).length > 0 ? `: overwrites ${disksOf(item).join(', ')}` : ''}
              {item.effect === '' ? null : <span className="faint"> · {item.effect}</span>}
            </span>
          </label>
        ))}
      </div>
    </Notice>
  );
};

export const PlanDialog = (props: {
  readonly deployment: Deployment;
  readonly snapshotId: number;
  readonly mayCommit: boolean;
  readonly onClose: () => void;
}) => {
  const {
    data: plan,
    error,
    isFetching,
    refetch,
  } = useQuery({
    ...reading(snapshot_plan, { params: { snapshot: props.snapshotId } }),
    staleTime: 0,
  });
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
              disabled={plan === undefined || refused || isFetching || commit.isPending}
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
          <p className="plan-sentence">{planSentence(plan)}</p>
          {commit.error === null ? null : (
            <>
              <Trouble error={commit.error} />
              <button
                className="btn small"
                onClick={() => void refetch().then(() => commit.reset())}
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
