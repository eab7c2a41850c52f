/** The way out of a network: one router per family. A new address takes the place of the old one. */
import type { Network } from '@hostwright/api/nouns/network';
import { network_router_delete, network_router_put } from '@hostwright/api/nouns/network-router';
import { fieldText } from '../form/read-form.ts';
import { send, unchanged, useChange } from '../session/client.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { say } from '../ui/toast.tsx';

export const SetRouter = (props: { readonly network: Network; readonly onClose: () => void }) => {
  const { network } = props;
  const set = useChange(
    (address: string) =>
      send(
        network_router_put,
        { params: { network: network.name, address }, body: {} },
        unchanged(network),
      ),
    {
      quiet: true,
      onSuccess: (_, address) => {
        say(`${address} routes ${network.name}`, 'Nodes in it get their boot data anew.');
        props.onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Router of ${network.name}`}
      action="Set it"
      change={set}
      onClose={props.onClose}
      onSubmit={(form) => set.mutate(fieldText(form, 'address'))}
    >
      <TextField
        label="Address"
        name="address"
        required
        autoFocus
        placeholder="10.20.0.1"
        hint="In a subnet of this network. It takes the place of a router of the same family."
      />
    </FormDialog>
  );
};

export const Routers = ({
  network,
  mayEdit,
}: {
  readonly network: Network;
  readonly mayEdit: boolean;
}) => {
  const remove = useChange((address: string) =>
    send(network_router_delete, { params: { network: network.name, address } }, unchanged(network)),
  );
  if (network.routers.length === 0) return <span className="faint">none</span>;
  return network.routers.map(({ address }) => (
    <span key={address} className="row tight">
      <span className="mono">{address}</span>
      {mayEdit ? (
        <button
          className="btn quiet icon small"
          aria-label={`Take the router ${address} away`}
          disabled={remove.isPending}
          onClick={() => remove.mutate(address)}
        >
          <Icon name="trash" />
        </button>
      ) : null}
    </span>
  ));
};
