/** What can be done with a deployment as a whole. */
import {
  deployment_pause,
  deployment_resume,
  type Deployment,
} from '@hostwright/api/nouns/deployment';
import { noderole_retry_bulk } from '@hostwright/api/nouns/noderole';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { useState } from 'react';
import { send, useChange } from '../session/client.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { say } from '../ui/toast.tsx';
import { plural } from '../ui/words.ts';
import { DeleteDeployment } from './delete-deployment.tsx';
import { DeploymentForm } from './deployment-form.tsx';
import { useDeployments } from './tree-order.ts';

export const DeploymentActions = ({
  deployment,
  mayEdit,
}: {
  readonly deployment: Deployment;
  readonly mayEdit: boolean;
}) => {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  const all = useDeployments().data?.items ?? [];
  const params = { deployment: deployment.name };
  const pause = useChange((paused: boolean) =>
    send(paused ? deployment_pause : deployment_resume, { params }),
  );
  const propose = useChange(() => send(snapshot_propose, { params, body: {} }), {
    onSuccess: () =>
      say('Proposal opened', 'Add roles, drag nodes, set data; then review the plan.'),
  });
  const retry = useChange(
    () => send(noderole_retry_bulk, { body: { deployment: deployment.name } }),
    {
      onSuccess: (answer) => say(`${plural(answer.ok, 'noderole')} will run again`),
    },
  );
  if (!mayEdit) return null;
  return (
    <span className="row end">
      {deployment.noderoles.error > 0 ? (
        <button
          className="btn small"
          onClick={() => retry.mutate(undefined)}
          disabled={retry.isPending}
        >
          <Icon name="retry" /> Retry all failed
        </button>
      ) : null}
      {deployment.system ? null : (
        <button
          className="btn small"
          onClick={() => pause.mutate(!deployment.paused)}
          disabled={pause.isPending}
        >
          <Icon name={deployment.paused ? 'play' : 'pause'} />{' '}
          {deployment.paused ? 'Resume' : 'Pause'}
        </button>
      )}
      {deployment.system || deployment.proposedSnapshotId !== null ? null : (
        <button
          className="btn small"
          onClick={() => propose.mutate(undefined)}
          disabled={propose.isPending}
        >
          <Icon name="edit" /> Propose changes
        </button>
      )}
      {deployment.system ? null : (
        <Menu label="More" className="btn icon small" button={<Icon name="more" />}>
          <button onClick={() => setOpen('edit')}>
            <Icon name="edit" /> Rename, describe or move
          </button>
          <hr />
          <button className="danger" onClick={() => setOpen('delete')}>
            <Icon name="trash" /> Delete this deployment
          </button>
        </Menu>
      )}
      {open === 'edit' ? (
        <DeploymentForm
          deployment={deployment}
          parent={all.find((each) => each.id === deployment.parentId)?.name ?? ''}
          onClose={close}
        />
      ) : null}
      {open === 'delete' ? <DeleteDeployment deployment={deployment} onClose={close} /> : null}
    </span>
  );
};
