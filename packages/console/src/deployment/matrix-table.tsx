/** The matrix as a table, for screen readers: one row per node, its roles in words. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { State } from '../ui/state.tsx';
import type { Cell } from './cell-dialog.tsx';
import { lookAt, type Matrix } from './matrix-model.ts';

export const MatrixTable = ({
  matrix,
  onOpenCell,
}: {
  readonly matrix: Matrix;
  readonly onOpenCell: (cell: Cell) => void;
}) => {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: matrix.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 6,
  });
  const items = rows.getVirtualItems();
  const width = matrix.columns.length;
  return (
    <div
      ref={scroller}
      className="scroll grow deploy-pad"
      tabIndex={0}
      role="region"
      aria-label="Noderoles as a table"
    >
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Node</th>
            <th scope="col">Roles</th>
          </tr>
        </thead>
        <tbody>
          <tr style={{ height: items[0]?.start ?? 0 }} aria-hidden="true" />
          {items.map((item) => {
            const node = matrix.rows[item.index];
            if (node === undefined) return null;
            return (
              <tr key={node.id} ref={rows.measureElement} data-index={item.index}>
                <th scope="row">
                  <Link to="/nodes/$node" params={{ node: node.name }}>
                    {node.name}
                  </Link>
                </th>
                <td>
                  <span className="row wrap">
                    {matrix.columns.map((role, column) => {
                      const cell = item.index * width + column;
                      const look = lookAt(matrix, cell);
                      return look === undefined ? null : (
                        <button
                          key={role.id}
                          className="btn small"
                          onClick={() =>
                            onOpenCell({
                              noderole: matrix.id[cell] ?? 0,
                              node: node.name,
                              role: role.name,
                            })
                          }
                        >
                          {role.name} <State look={look} />
                        </button>
                      );
                    })}
                  </span>
                </td>
              </tr>
            );
          })}
          <tr
            style={{ height: Math.max(0, rows.getTotalSize() - (items.at(-1)?.end ?? 0)) }}
            aria-hidden="true"
          />
        </tbody>
      </table>
    </div>
  );
};
