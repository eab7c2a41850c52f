import { deployment_delete, type Deployment } from '@hostwright/api/nouns/deployment';
import { send, unchanged } from '../session/client.ts';
import { ConfirmDelete } from '../ui/confirm-delete.tsx';

export const DeleteDeployment = ({
  deployment,
  onClose,
}: {
  readonly deployment: Deployment;
  readonly onClose: () => void;
}) => (
  <ConfirmDelete
    name={deployment.name}
    remove={() =>
      send(deployment_delete, { params: { deployment: deployment.name } }, unchanged(deployment))
    }
    list="/deployments"
    onClose={onClose}
  >
    Refused while nodes have roles in it or deployments are under it: unbind and commit first.
  </ConfirmDelete>
);
