/** Makes a deployment anywhere in the tree; renames, describes or moves one that is there. */
import {
  deployment_create,
  deployment_patch,
  type Deployment,
} from '@hostwright/api/nouns/deployment';
import { useNavigate } from '@tanstack/react-router';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { inTreeOrder, lineOf, useDeployments } from './tree-order.ts';

/** `deployment`: the one to change; without it a new one is made. */
export const DeploymentForm = (props: {
  readonly deployment?: Deployment;
  readonly parent: string;
  readonly onClose: () => void;
}) => {
  const { deployment } = props;
  const navigate = useNavigate();
  const all = useDeployments().data?.items ?? [];
  const save = useChange(
    (body: { name: string; description: string; parent: string }) =>
      deployment === undefined
        ? send(deployment_create, { body })
        : send(
            deployment_patch,
            { params: { deployment: deployment.name }, body },
            unchanged(deployment),
          ),
    {
      quiet: true,
      onSuccess: (made) => {
        props.onClose();
        void navigate({ to: '/deployments/$deployment', params: { deployment: made.name } });
      },
    },
  );
  // it cannot come under itself
  const places = inTreeOrder(all).filter(
    (item) => deployment === undefined || !lineOf(all, item.id).includes(deployment.id),
  );
  return (
    <FormDialog
      title={deployment === undefined ? 'New deployment' : `Edit ${deployment.name}`}
      action={deployment === undefined ? 'Create' : 'Save'}
      change={save}
      onClose={props.onClose}
      onSubmit={(form) =>
        save.mutate({
          name: fieldText(form, 'name'),
          description: fieldText(form, 'description'),
          parent: fieldText(form, 'parent'),
        })
      }
    >
      <TextField
        label="Name"
        name="name"
        required
        pattern="[a-z][a-z0-9._\-]*"
        autoFocus
        defaultValue={deployment?.name}
        hint="Starts with a letter; lower case letters, digits, dots and dashes."
      />
      <SelectField
        key={places.length === 0 ? 'none' : 'some'}
        label="Under"
        name="parent"
        defaultValue={props.parent}
        hint="It inherits the data of everything above it."
      >
        {places.map((item) => (
          <option key={item.id} value={item.name}>
            {'\u00a0\u00a0'.repeat(Math.min(item.depth, 12))}
            {item.name}
          </option>
        ))}
      </SelectField>
      <TextField label="What it is for" name="description" defaultValue={deployment?.description} />
    </FormDialog>
  );
};
