/** Nodes x networks: who has which address where. Only the rows in view are in the page. */
import { network_matrix, type NetworkMatrix } from '@hostwright/api/nouns/network-matrix';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { reading } from '../session/client.ts';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';

interface MatrixRow {
  readonly node: string;
  /** Per network: its addresses there. */
  readonly addresses: readonly (readonly string[])[];
}

export const rowsOf = (matrix: NetworkMatrix, search: string): readonly MatrixRow[] => {
  const addresses = matrix.ids.map(() => matrix.networks.map((): string[] => []));
  matrix.address.forEach((address, at) => {
    addresses[matrix.node[at] ?? -1]?.[matrix.network[at] ?? -1]?.push(address);
  });
  const wanted = search.trim().toLowerCase();
  return matrix.names
    .map((node, at) => ({ node, addresses: addresses[at] ?? [] }))
    .filter(
      (row) =>
        row.node.includes(wanted) ||
        row.addresses.some((each) => each.some((address) => address.startsWith(wanted))),
    );
};

const Rows = ({ matrix, search }: { readonly matrix: NetworkMatrix; readonly search: string }) => {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(matrix, search), [matrix, search]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 32,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  if (rows.length === 0)
    return (
      <Empty icon="search" title="No node matches">
        The search takes a part of a name, or the beginning of an address.
      </Empty>
    );
  return (
    <div
      ref={scroller}
      className="table-wrap scroll network-matrix"
      tabIndex={0}
      role="region"
      aria-label="Nodes by networks"
    >
      <table className="table compact">
        <thead>
          <tr>
            <th scope="col">{rows.length.toLocaleString('en')} nodes</th>
            {matrix.networks.map((network) => (
              <th key={network.id} scope="col">
                <Link to="/networks/$network" params={{ network: network.name }}>
                  {network.name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr style={{ height: items[0]?.start ?? 0 }} aria-hidden="true" />
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <tr key={row.node} data-index={item.index} ref={virtual.measureElement}>
                <th scope="row">
                  <Link to="/nodes/$node" params={{ node: row.node }}>
                    {row.node}
                  </Link>
                </th>
                {row.addresses.map((addresses, at) => (
                  <td key={matrix.networks[at]?.id} className="mono nowrap">
                    {addresses.length === 0 ? (
                      <span className="faint">·</span>
                    ) : (
                      addresses.join(' ')
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          <tr
            style={{ height: Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0)) }}
            aria-hidden="true"
          />
        </tbody>
      </table>
    </div>
  );
};

export const NodeMatrix = ({ search }: { readonly search: string }) => {
  const matrix = useQuery(reading(network_matrix, {}));
  return <Loaded read={matrix}>{(data) => <Rows matrix={data} search={search} />}</Loaded>;
};
