/** One network: its ranges, who has which address, and what nodes make of it. */
import { network_delete, network_get, type Network } from '@hostwright/api/nouns/network';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { AddressTable } from '../network/address-table.tsx';
import { GiveAddress, ReserveAddress } from '../network/allocation-forms.tsx';
import { EditNetwork } from '../network/network-form.tsx';
import { Ranges } from '../network/ranges.tsx';
import { Routers, SetRouter } from '../network/routers.tsx';
import { reading, send, unchanged } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { ConfirmDelete } from '../ui/confirm-delete.tsx';
import { Icon } from '../ui/icon.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Menu } from '../ui/menu.tsx';
import { Card, Page } from '../ui/page.tsx';
import { formatSpan } from '../ui/time-ago.tsx';

type Open = 'edit' | 'delete' | 'router' | 'give' | 'reserve';

const Facts = ({ network, mayEdit }: { readonly network: Network; readonly mayEdit: boolean }) => (
  <Card title="Facts">
    <dl className="facts">
      <dt>Conduit</dt>
      <dd className="mono">{network.conduit}</dd>
      <dt>Bond</dt>
      <dd>{network.bondMode ?? <span className="faint">none</span>}</dd>
      <dt>Bridge</dt>
      <dd>{network.bridge ? 'yes' : 'no'}</dd>
      <dt>VLAN</dt>
      <dd>{network.vlan ?? <span className="faint">untagged</span>}</dd>
      <dt>MTU</dt>
      <dd>{network.mtu ?? <span className="faint">as the NIC has it</span>}</dd>
      <dt>Domain</dt>
      <dd className="mono">{network.domain || <span className="faint">none</span>}</dd>
      <dt>Routers</dt>
      <dd>
        <Routers network={network} mayEdit={mayEdit} />
      </dd>
      <dt>Group</dt>
      <dd>{network.group || <span className="faint">none</span>}</dd>
      <dt>Configured</dt>
      <dd>{network.configure ? 'on the machines' : 'no: addresses are only written down'}</dd>
      <dt>Quarantine</dt>
      <dd>{formatSpan(network.quarantineSeconds * 1000)}</dd>
    </dl>
  </Card>
);

export const NetworkPage = () => {
  const { network: name } = useParams({ from: '/inside/networks/$network' });
  const { data: network, error } = useQuery(reading(network_get, { params: { network: name } }));
  const mayEdit = useMay('operator');
  const [open, setOpen] = useState<Open>();
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const close = () => setOpen(undefined);
  useCrumbs({ label: 'Networks', to: '/networks' }, { label: name });
  if (network === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <>
          {network.name} <span className="badge">{network.category}</span>
        </>
      }
      lead={network.description}
      actions={
        mayEdit ? (
          <>
            <button className="btn" onClick={() => setOpen('give')}>
              <Icon name="node" /> Give a node an address
            </button>
            <button className="btn" onClick={() => setOpen('reserve')}>
              Reserve an address
            </button>
            <Menu label="More" className="btn icon" button={<Icon name="more" />}>
              <button onClick={() => setOpen('edit')}>
                <Icon name="edit" /> Edit
              </button>
              <button onClick={() => setOpen('router')}>
                <Icon name="network" /> Set its router
              </button>
              <hr />
              <button className="danger" onClick={() => setOpen('delete')}>
                <Icon name="trash" /> Delete this network
              </button>
            </Menu>
          </>
        ) : undefined
      }
    >
      <div className="grid-side">
        <div className="stack loose">
          <Ranges network={network} mayEdit={mayEdit} />
          <Card
            title="Addresses"
            flush
            extra={
              <input
                className="input small"
                type="search"
                aria-label="Search addresses"
                placeholder="Address, node or note"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            }
          >
            <AddressTable network={network.name} mayEdit={mayEdit} search={search} />
          </Card>
        </div>
        <Facts network={network} mayEdit={mayEdit} />
      </div>
      {open === 'edit' ? <EditNetwork network={network} onClose={close} /> : null}
      {open === 'router' ? <SetRouter network={network} onClose={close} /> : null}
      {open === 'give' ? <GiveAddress network={network} onClose={close} /> : null}
      {open === 'reserve' ? <ReserveAddress network={network} onClose={close} /> : null}
      {open === 'delete' ? (
        <ConfirmDelete
          name={name}
          remove={() => send(network_delete, { params: { network: name } }, unchanged(network))}
          list="/networks"
          onClose={close}
        >
          Refused while addresses of it are held or reserved.
        </ConfirmDelete>
      ) : null}
    </Page>
  );
};
