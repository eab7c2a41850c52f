import { deployment_delete, type Deployment } from '@hostwright/api/nouns/deployment';
import { useNavigate } from '@tanstack/react-router';
import { send, unchanged, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { say } from '../ui/toast.tsx';

export const DeleteDeployment = (props: {
  readonly deployment: Deployment;
  readonly onClose: () => void;
}) => {
  const { deployment } = props;
  const navigate = useNavigate();
  const remove = useChange(
    () =>
      send(deployment_delete, { params: { deployment: deployment.name } }, unchanged(deployment)),
    {
      quiet: true,
      onSuccess: () => {
        say(`${deployment.name} deleted`);
        void navigate({ to: '/deployments' });
      },
    },
  );
  return (
    <Confirm
      title={`Delete ${deployment.name}?`}
      action="Delete"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined)}
      onClose={props.onClose}
    >
      <p className="muted">
        Refused while nodes have roles in it or deployments are under it: unbind and commit first.
      </p>
    </Confirm>
  );
};
