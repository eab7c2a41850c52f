/** Adds a range to a network, or changes one that is there. */
import { RANGE_KINDS, type Network } from '@hostwright/api/nouns/network';
import { network_range_create, network_range_patch } from '@hostwright/api/nouns/network-range';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';
import type { Range } from './usage.tsx';

const MEANING = {
  host: 'for nodes',
  dhcp: 'for machines nobody knows yet',
  reserved: 'for nobody',
} as const;

const readFields = (form: FormData) => ({
  name: fieldText(form, 'name'),
  kind: RANGE_KINDS.find((each) => each === fieldText(form, 'kind')) ?? ('host' as const),
  subnet: fieldText(form, 'subnet'),
  first: fieldText(form, 'first'),
  last: fieldText(form, 'last'),
});

const Fields = ({ range, subnet }: { readonly range?: Range; readonly subnet?: string }) => (
  <>
    <TextField
      label="Name"
      name="name"
      required
      autoFocus
      placeholder="dhcp"
      defaultValue={range?.name}
    />
    <SelectField label="For" name="kind" defaultValue={range?.kind ?? 'host'}>
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
      defaultValue={range?.subnet ?? subnet}
    />
    <div className="grid-2">
      <TextField label="First address" name="first" required defaultValue={range?.first} />
      <TextField label="Last address" name="last" required defaultValue={range?.last} />
    </div>
  </>
);

export const AddRange = (props: { readonly network: Network; readonly onClose: () => void }) => {
  const { network } = props;
  const add = useChange(
    (form: FormData) =>
      send(
        network_range_create,
        { params: { network: network.name }, body: readFields(form) },
        unchanged(network),
      ),
    { quiet: true, onSuccess: props.onClose },
  );
  const subnet = network.ranges[0]?.subnet;
  return (
    <FormDialog
      title={`New range of ${network.name}`}
      action="Add"
      change={add}
      onClose={props.onClose}
      onSubmit={add.mutate}
    >
      <Fields {...(subnet === undefined ? {} : { subnet })} />
    </FormDialog>
  );
};

export const EditRange = (props: {
  readonly network: Network;
  readonly range: Range;
  readonly onClose: () => void;
}) => {
  const { network, range } = props;
  const patch = useChange(
    (form: FormData) =>
      send(
        network_range_patch,
        { params: { network: network.name, range: range.name }, body: readFields(form) },
        unchanged(network),
      ),
    {
      quiet: true,
      onSuccess: () => {
        say(`Range ${range.name} changed`, 'Nodes in it get their boot data anew.');
        props.onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Range ${range.name} of ${network.name}`}
      action="Save"
      change={patch}
      onClose={props.onClose}
      onSubmit={patch.mutate}
    >
      <Fields range={range} />
    </FormDialog>
  );
};
