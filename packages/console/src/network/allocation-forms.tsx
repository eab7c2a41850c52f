/** An address for a node, or for something that is no node. */
import { allocation_create, allocation_reserve } from '@hostwright/api/nouns/allocation';
import type { Network } from '@hostwright/api/nouns/network';
import { fieldText } from '../form/read-form.ts';
import { send, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';

interface FormProps {
  readonly network: Network;
  readonly onClose: () => void;
}

const RangeField = ({ network }: { readonly network: Network }) => (
  <SelectField label="Range" name="range">
    {network.ranges.map((range) => (
      <option key={range.id} value={range.name}>
        {range.name}: {range.first} to {range.last}
      </option>
    ))}
  </SelectField>
);

export const GiveAddress = ({ network, onClose }: FormProps) => {
  const give = useChange(
    (form: FormData) => {
      const address = fieldText(form, 'address');
      return send(allocation_create, {
        params: { network: network.name, range: fieldText(form, 'range') },
        body: { node: fieldText(form, 'node'), ...(address === '' ? {} : { address }) },
      });
    },
    {
      quiet: true,
      onSuccess: ({ allocation, why }) => {
        say(`${allocation.node ?? 'It'} has ${allocation.address}`, why);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Give a node an address of ${network.name}`}
      action="Give it"
      change={give}
      onClose={onClose}
      onSubmit={give.mutate}
    >
      <TextField label="Node" name="node" required autoFocus />
      <RangeField network={network} />
      <TextField
        label="Address"
        name="address"
        hint="Empty: one is chosen, and it is said how. Otherwise exactly this one or a refusal."
      />
    </FormDialog>
  );
};

export const ReserveAddress = ({ network, onClose }: FormProps) => {
  const reserve = useChange(
    (form: FormData) =>
      send(allocation_reserve, {
        params: { network: network.name, range: fieldText(form, 'range') },
        body: { address: fieldText(form, 'address'), note: fieldText(form, 'note') },
      }),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.address} is reserved`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Reserve an address of ${network.name}`}
      action="Reserve"
      change={reserve}
      onClose={onClose}
      onSubmit={reserve.mutate}
    >
      <TextField label="Address" name="address" required autoFocus />
      <RangeField network={network} />
      <TextField label="Whom it is for" name="note" required placeholder="the printer in room 12" />
    </FormDialog>
  );
};
