import type { Deployment } from '@hostwright/api/nouns/deployment';
import { snapshot_discard, snapshot_get } from '@hostwright/api/nouns/snapshot';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Icon } from '../ui/icon.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { PlanDialog } from './plan-dialog.tsx';

/** There is a proposal: look at what it would do, commit it, or throw it away. */
export const ProposalBar = ({
  deployment,
  snapshotId,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly snapshotId: number;
  readonly mayEdit: boolean;
}) => {
  const { data: snapshot } = useQuery(reading(snapshot_get, { params: { snapshot: snapshotId } }));
  const [planning, setPlanning] = useState(false);
  const discard = useChange(() => send(snapshot_discard, { params: { snapshot: snapshotId } }), {
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
          <button
            className="btn quiet small"
            onClick={() => discard.mutate(undefined)}
            disabled={discard.isPending}
          >
            Discard
          </button>
        ) : null}
        <button className="btn primary small" onClick={() => setPlanning(true)}>
          {mayEdit ? 'Review plan and commit' : 'See the plan'}
        </button>
      </span>
      {planning ? (
        <PlanDialog
          deployment={deployment}
          snapshotId={snapshotId}
          mayCommit={mayEdit}
          onClose={() => setPlanning(false)}
        />
      ) : null}
    </div>
  );
};
