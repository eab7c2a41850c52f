/** A sortable table over TanStack Table; cells are rendered by the page that owns the rows. */
import {
  createSortedRowModel,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
  type ColumnDef,
  type RowData,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns,
});
export type Column<Row extends RowData> = ColumnDef<typeof features, Row>;

export interface DataTableProps<Row extends RowData> {
  readonly label: string;
  readonly columns: Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowId: (row: Row) => string;
  readonly empty?: ReactNode;
}

const SORTED = { asc: 'ascending', desc: 'descending' } as const;

export const DataTable = <Row extends RowData>(props: DataTableProps<Row>) => {
  const table = useTable({
    features,
    columns: props.columns,
    data: props.rows,
    getRowId: props.rowId,
  });
  if (props.rows.length === 0 && props.empty !== undefined) return props.empty;
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label={props.label}>
      <table className="table">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={sorted === false ? undefined : SORTED[sorted]}
                  >
                    {header.column.getCanSort() ? (
                      <button onClick={header.column.getToggleSortingHandler()}>
                        <table.FlexRender header={header} />
                        <span aria-hidden="true">
                          {sorted === 'asc' ? ' ↑' : sorted === 'desc' ? ' ↓' : ''}
                        </span>
                      </button>
                    ) : (
                      <table.FlexRender header={header} />
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
