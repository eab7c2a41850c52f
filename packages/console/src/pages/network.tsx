/** One network: its ranges, who has which address, and what nodes make of it. */
import {
  network_delete,
  network_get,
  network_range_delete,
  type Network,
} from '@hostwright/api/nouns/network';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { AddressTable } from '../network/address-table.tsx';
import { GiveAddress, ReserveAddress } from '../network/allocation-forms.tsx';
import { EditNetwork } from '../network/network-form.tsx';
import { AddRange } from '../network/range-form.tsx';
import { Routers, SetRouter } from '../network/routers.tsx';
import { takenOf, Usage } from '../network/usage.tsx';
import { reading, send, unchanged, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { ConfirmDelete } from '../ui/confirm-delete.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Menu } from '../ui/menu.tsx';
import { Card, Page } from '../ui/page.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { formatSpan } from '../ui/time-ago.tsx';

type Open = 'edit' | 'delete' | 'range' | 'router' | 'give' | 'reserve';

const Ranges = ({ network, mayEdit }: { readonly network: Network; readonly mayEdit: boolean }) => {
  const remove = useChange((range: string) =>
    send(network_range_delete, { params: { network: network.name, range } }, unchanged(network)),
  );
  if (network.ranges.length === 0)
    return (
      <Empty icon="network" title="No range yet">
        A range says which addresses may be given out, and to whom.
      </Empty>
    );
  return (
    <Table
      label="Ranges"
      headings={[
        'Name',
        'For',
        { label: 'Subnet', wide: true },
        'Addresses',
        'Taken',
        ...(mayEdit ? [ACTIONS] : []),
      ]}
    >
      {network.ranges.map((range) => (
        <tr key={range.id}>
          <td className="strong">{range.name}</td>
          <td>
            <span className="badge">{range.kind}</span>
          </td>
          <td className="mono wide-only">{range.subnet}</td>
          <td className="mono">
            {range.first} to {range.last}
          </td>
          <td className="usage-cell">
            <Usage range={range} />
          </td>
          {mayEdit ? (
            <td>
              <span className="actions">
                {takenOf(range) === 0 ? (
                  <button
                    className="btn quiet icon small"
                    aria-label={`Take the range ${range.name} away`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(range.name)}
                  >
                    <Icon name="trash" />
                  </button>
                ) : null}
              </span>
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  );
};

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
          <Card
            title="Ranges"
            flush
            extra={
              mayEdit ? (
                <button className="btn small" onClick={() => setOpen('range')}>
                  <Icon name="plus" /> Add a range
                </button>
              ) : undefined
            }
          >
            <Ranges network={network} mayEdit={mayEdit} />
          </Card>
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
      {open === 'range' ? <AddRange network={network} onClose={close} /> : null}
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
