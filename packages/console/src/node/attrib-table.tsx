import { Table } from '../ui/table.tsx';
/** Attributes with the layer each value comes from, and what it shadows. */
export interface AttribRow {
  readonly name?: string;
  readonly path: string;
  readonly value: unknown;
  readonly layer: string;
  readonly from: string;
  readonly secret?: boolean;
  readonly input?: boolean;
  readonly covers?: readonly {
    readonly layer: string;
    readonly from: string;
    readonly value: unknown;
  }[];
}

const show = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

export const AttribTable = ({ items }: { readonly items: readonly AttribRow[] }) =>
  items.length === 0 ? (
    <p className="faint body-pad">No attributes are declared here.</p>
  ) : (
    <Table label="Attributes" headings={['Attribute', 'Value', 'From']}>
      {items.map((item) => (
        <tr key={item.path}>
          <td>
            <span className="strong mono">{item.path}</span>{' '}
            {item.input === true ? (
              <span className="badge outline" title="A change of it makes the noderole run again">
                input
              </span>
            ) : null}
            {item.name === undefined ? null : <div className="faint">{item.name}</div>}
          </td>
          <td className="mono clip" title={show(item.value)}>
            {item.secret === true ? <span className="badge">secret</span> : show(item.value)}
          </td>
          <td>
            <span className="badge">{item.layer}</span> <span className="faint">{item.from}</span>
            {(item.covers ?? []).map((each) => (
              <div key={each.layer + each.from} className="faint shadowed">
                over {each.layer} {each.from}: <span className="mono">{show(each.value)}</span>
              </div>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  );
