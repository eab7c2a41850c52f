import type { Deployment } from '@hostwright/api/nouns/deployment';
import { snapshot_discard, snapshot_get } from '@hostwright/api/nouns/snapshot';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { PlanDialog } from './plan-dialog.tsx';

/**
 * There is a proposal: look at what it would do, commit it, or throw it away. An open plan stays
 * open when somebody else commits or discards the proposal: then it says so.
 */
export const ProposalBar = ({ deployment, mayEdit }: BarProps) => {
  const [planning, setPlanning] = useState<number>();
  return (
    <>
      {deployment.proposedSnapshotId === null ? null : (
        <Bar
          deployment={deployment}
          mayEdit={mayEdit}
          snapshotId={deployment.proposedSnapshotId}
          onPlan={setPlanning}
        />
      )}
      {planning === undefined ? null : (
        <PlanDialog
          deployment={deployment}
          snapshotId={planning}
          mayCommit={mayEdit}
          onClose={() => setPlanning(undefined)}
        />
      )}
    </>
  );
};

interface BarProps {
  readonly deployment: Deployment;
  readonly mayEdit: boolean;
}

const Bar = ({
  deployment,
  snapshotId,
  mayEdit,
  onPlan,
}: BarProps & {
  readonly snapshotId: number;
  readonly onPlan: (snapshot: number) => void;
}) => {
  const { data: snapshot } = useQuery(reading(snapshot_get, { params: { snapshot: snapshotId } }));
  const [discarding, setDiscarding] = useState(false);
  const discard = useChange(() => send(snapshot_discard, { params: { snapshot: snapshotId } }), {
    quiet: true,
    onSuccess: () => say('Proposal discarded', 'Nothing was changed.'),
  });
  return (
    <div className="proposal-bar" role="region" aria-label="Open proposal">
      <Icon name="edit" />
      <span>
        <strong>Proposal{snapshot === undefined ? '' : ` ${snapshot.revision}`}</strong>
        {snapshot === undefined ? null : (
          <span className="muted">
            {' '}
            by {snapshot.createdBy}, <TimeAgo at={snapshot.createdAt} />
            {snapshot.basedOn === null ? '' : `, from revision ${snapshot.basedOn}`}. Nothing
            happens before the commit.
          </span>
        )}
      </span>
      <span className="row end">
        {mayEdit ? (
          <button className="btn quiet small" onClick={() => setDiscarding(true)}>
            Discard
          </button>
        ) : null}
        <button className="btn primary small" onClick={() => onPlan(snapshotId)}>
          {mayEdit ? 'Review plan and commit' : 'See the plan'}
        </button>
      </span>
      {discarding ? (
        <Confirm
          title={`Discard the proposal of ${deployment.name}?`}
          action="Discard it"
          change={discard}
          onConfirm={() => discard.mutate(undefined)}
          onClose={() => setDiscarding(false)}
        >
          <p className="muted">
            What was bound and set in it is gone. What is committed stays as it is.
          </p>
        </Confirm>
      ) : null}
    </div>
  );
};
