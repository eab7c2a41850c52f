import { network_range_create, RANGE_KINDS, type Network } from '@hostwright/api/nouns/network';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';

const MEANING = {
  host: 'for nodes',
  dhcp: 'for machines nobody knows yet',
  reserved: 'for nobody',
} as const;

export const AddRange = (props: { readonly network: Network; readonly onClose: () => void }) => {
  const { network } = props;
  const add = useChange(
    (form: FormData) =>
      send(
        network_range_create,
        {
          params: { network: network.name },
          body: {
            name: fieldText(form, 'name'),
            kind: RANGE_KINDS.find((each) => each === fieldText(form, 'kind')) ?? 'host',
            subnet: fieldText(form, 'subnet'),
            first: fieldText(form, 'first'),
            last: fieldText(form, 'last'),
          },
        },
        unchanged(network),
      ),
    { quiet: true, onSuccess: props.onClose },
  );
  return (
    <FormDialog
      title={`New range of ${network.name}`}
      action="Add"
      change={add}
      onClose={props.onClose}
      onSubmit={add.mutate}
    >
      <TextField label="Name" name="name" required autoFocus placeholder="dhcp" />
      <SelectField label="For" name="kind" defaultValue="host">
        {RANGE_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {kind}: {MEANING[kind]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Subnet"
        name="subnet"
        required
        placeholder="10.20.0.0/24"
        defaultValue={network.ranges[0]?.subnet}
      />
      <div className="grid-2">
        <TextField label="First address" name="first" required />
        <TextField label="Last address" name="last" required />
      </div>
    </FormDialog>
  );
};
