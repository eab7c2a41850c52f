/** Networks and how full they are; or every node with its address in each. */
import { network_list, type Network } from '@hostwright/api/nouns/network';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { NewNetwork } from '../network/network-form.tsx';
import { NodeMatrix } from '../network/node-matrix.tsx';
import { Usage } from '../network/usage.tsx';
import { reading } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Table } from '../ui/table.tsx';

const Row = ({ network }: { readonly network: Network }) => (
  <tr>
    <td>
      <Link className="strong" to="/networks/$network" params={{ network: network.name }}>
        {network.name}
      </Link>
      {network.description === '' ? null : <div className="faint">{network.description}</div>}
    </td>
    <td>
      <span className="badge">{network.category}</span>
    </td>
    <td className="num wide-only">{network.vlan ?? ''}</td>
    <td className="mono wide-only">{network.conduit}</td>
    <td className="usage-cell">
      {network.ranges.length === 0 ? (
        <span className="faint">no range yet</span>
      ) : (
        network.ranges.map((range) => (
          <div key={range.id}>
            <span className="faint">
              {range.name} <span className="mono">{range.subnet}</span>
            </span>
            <Usage range={range} />
          </div>
        ))
      )}
    </td>
    <td className="mono wide-only">{network.routers.map((each) => each.address).join(', ')}</td>
  </tr>
);

export const NetworksPage = () => {
  useCrumbs({ label: 'Networks' });
  const { view = 'list', q = '' } = useSearch({ from: '/inside/networks' });
  const navigate = useNavigate({ from: '/networks' });
  const networks = useQuery(reading(network_list, { query: { limit: 1000 } }));
  const may = useMay('operator');
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Networks"
      lead="A network has ranges of addresses and a conduit: the NICs that carry it. Nodes get one address of each range they need."
      actions={
        <>
          {view === 'nodes' ? (
            <input
              className="input"
              type="search"
              aria-label="Search nodes and addresses"
              placeholder="Node or address"
              value={q}
              onChange={(event) =>
                void navigate({
                  search: { view, ...(event.target.value === '' ? {} : { q: event.target.value }) },
                  replace: true,
                })
              }
            />
          ) : null}
          <Segmented
            label="View"
            value={view}
            options={{ list: 'Networks', nodes: 'Nodes × networks' }}
            onChange={(value) => void navigate({ search: value === 'list' ? {} : { view: value } })}
          />
          {may ? (
            <button className="btn primary" onClick={() => setCreating(true)}>
              <Icon name="plus" /> New network
            </button>
          ) : null}
        </>
      }
    >
      {view === 'nodes' ? (
        <Card flush>
          <NodeMatrix search={q} />
        </Card>
      ) : (
        <Loaded read={networks}>
          {({ items }) => (
            <Card flush>
              {items.length === 0 ? (
                <Empty icon="network" title="No networks">
                  Machines that join by command need none. To boot bare metal, make the network they
                  boot from, of category admin.
                </Empty>
              ) : (
                <Table
                  label="Networks"
                  headings={[
                    'Name',
                    'Category',
                    { label: 'VLAN', wide: true },
                    { label: 'Conduit', wide: true },
                    'Ranges',
                    { label: 'Routers', wide: true },
                  ]}
                >
                  {items.map((network) => (
                    <Row key={network.id} network={network} />
                  ))}
                </Table>
              )}
            </Card>
          )}
        </Loaded>
      )}
      {creating ? <NewNetwork onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
