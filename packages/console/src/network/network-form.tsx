/** Makes a network, or changes one that is there. */
import {
  BOND_MODES,
  NETWORK_CATEGORIES,
  network_create,
  network_patch,
  type Network,
} from '@hostwright/api/nouns/network';
import { useNavigate } from '@tanstack/react-router';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { say } from '../ui/toast.tsx';

const numberOrNull = (text: string): number | null => (text === '' ? null : Number(text));

const readFields = (form: FormData) => ({
  name: fieldText(form, 'name'),
  description: fieldText(form, 'description'),
  category:
    NETWORK_CATEGORIES.find((each) => each === fieldText(form, 'category')) ?? ('general' as const),
  conduit: fieldText(form, 'conduit'),
  bondMode: BOND_MODES.find((each) => each === fieldText(form, 'bondMode')) ?? null,
  domain: fieldText(form, 'domain'),
  vlan: numberOrNull(fieldText(form, 'vlan')),
  mtu: numberOrNull(fieldText(form, 'mtu')),
});

const Fields = ({ network }: { readonly network: Network | undefined }) => (
  <>
    <TextField label="Name" name="name" required autoFocus defaultValue={network?.name} />
    <TextField label="What it is for" name="description" defaultValue={network?.description} />
    <SelectField
      label="Category"
      name="category"
      defaultValue={network?.category ?? 'general'}
      hint="admin: machines boot from it; bmc: their controllers; unmanaged: only written down."
    >
      {NETWORK_CATEGORIES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </SelectField>
    <TextField
      label="Conduit"
      name="conduit"
      defaultValue={network?.conduit ?? '1g0'}
      hint="Which NICs carry it: 1g0 is the first of 1 Gbit/s; ?10g0,?10g1 a bond of two at 10 or less; bmc the controller."
    />
    <SelectField
      label="Bond"
      name="bondMode"
      defaultValue={network?.bondMode ?? ''}
      hint="Needed when the conduit names several NICs."
    >
      <option value="">none</option>
      {BOND_MODES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </SelectField>
    <div className="grid-3">
      <TextField label="Domain" name="domain" defaultValue={network?.domain} />
      <TextField
        label="VLAN"
        name="vlan"
        type="number"
        min={1}
        max={4094}
        defaultValue={network?.vlan ?? ''}
      />
      <TextField
        label="MTU"
        name="mtu"
        type="number"
        min={576}
        max={65_535}
        defaultValue={network?.mtu ?? ''}
      />
    </div>
  </>
);

export const NewNetwork = ({ onClose }: { readonly onClose: () => void }) => {
  const navigate = useNavigate();
  const create = useChange(
    (form: FormData) => {
      const [subnet, router] = [fieldText(form, 'subnet'), fieldText(form, 'address')];
      const [first, last] = [fieldText(form, 'first'), fieldText(form, 'last')];
      return send(network_create, {
        body: {
          ...readFields(form),
          ...(subnet === ''
            ? {}
            : { ranges: [{ name: 'host', kind: 'host' as const, subnet, first, last }] }),
          ...(router === '' ? {} : { routers: [{ address: router }] }),
        },
      });
    },
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.name} made`);
        void navigate({ to: '/networks/$network', params: { network: made.name } });
      },
    },
  );
  return (
    <FormDialog
      title="New network"
      action="Create"
      change={create}
      onClose={onClose}
      onSubmit={create.mutate}
    >
      <Fields network={undefined} />
      <TextField
        label="Subnet"
        name="subnet"
        placeholder="10.20.0.0/24"
        hint="Its first range, for nodes; more can be added afterwards."
      />
      <div className="grid-3">
        <TextField label="First address" name="first" placeholder="10.20.0.10" />
        <TextField label="Last address" name="last" placeholder="10.20.0.250" />
        <TextField label="Router" name="address" placeholder="10.20.0.1" />
      </div>
    </FormDialog>
  );
};

export const EditNetwork = (props: { readonly network: Network; readonly onClose: () => void }) => {
  const { network } = props;
  const navigate = useNavigate();
  const patch = useChange(
    (form: FormData) =>
      send(
        network_patch,
        { params: { network: network.name }, body: readFields(form) },
        unchanged(network),
      ),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.name} changed`, 'Nodes in it get their boot data anew.');
        props.onClose();
        void navigate({
          to: '/networks/$network',
          params: { network: made.name },
          replace: true,
        });
      },
    },
  );
  return (
    <FormDialog
      title={`Edit ${network.name}`}
      action="Save"
      change={patch}
      onClose={props.onClose}
      onSubmit={patch.mutate}
    >
      <Fields network={network} />
    </FormDialog>
  );
};
