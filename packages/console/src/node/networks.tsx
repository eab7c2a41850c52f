/** The addresses of a node, and how each of its networks is put on its NICs. */
import { allocation_node } from '@hostwright/api/nouns/allocation';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reading } from '../session/client.ts';
import { Card } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';

export const NodeNetworks = ({ node }: { readonly node: string }) => {
  const { data } = useQuery(reading(allocation_node, { params: { node } }));
  // a machine that joined by command has none: then there is nothing to say
  if (data === undefined || (data.addresses.length === 0 && data.links.length === 0)) return null;
  const networks = [
    ...new Set([...data.links, ...data.addresses].map((each) => each.network)),
  ].sort();
  return (
    <Card title="Networks" flush>
      <Table
        label="Networks of this node"
        compact
        headings={['Network', 'Addresses', 'DNS names', 'On']}
      >
        {networks.map((network) => {
          const addresses = data.addresses.filter((each) => each.network === network);
          const link = data.links.find((each) => each.network === network);
          return (
            <tr key={network}>
              <td>
                <Link className="strong" to="/networks/$network" params={{ network }}>
                  {network}
                </Link>
              </td>
              <td className="mono">
                {addresses.map((each) => each.address).join(', ') || (
                  <span className="faint">none</span>
                )}
              </td>
              <td className="muted">{addresses.flatMap((each) => each.names).join(', ')}</td>
              <td>
                {link === undefined ? null : link.error === null ? (
                  <span className="mono" title={link.members.map((each) => each.mac).join(', ')}>
                    {link.members.map((each) => each.name).join(' + ')}
                    {link.vlan === null ? '' : `.${link.vlan}`}
                  </span>
                ) : (
                  <span className="badge bad" title={link.error}>
                    {link.conduit} does not fit
                  </span>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </Card>
  );
};
