/** The same nodes as a table, for screen readers, phones and whoever likes rows better. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { useFleet, useFleetTick } from '../live/fleet-store.ts';
import { State } from '../ui/state.tsx';
import type { Arrangement } from './arrange.ts';
import { LOOK_CODES, WIDTH } from './columns.ts';

const ROW = 36;

export const FleetTable = ({ arrangement }: { readonly arrangement: Arrangement }) => {
  const { columns, deployments } = useFleet();
  useFleetTick();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: arrangement.order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  return (
    <div
      ref={scroller}
      className="fleet-scroll scroll"
      tabIndex={0}
      role="region"
      aria-label="Nodes as a table"
    >
      <div
        role="table"
        aria-rowcount={arrangement.order.length + 1}
        aria-label="Nodes"
        className="fleet-table"
      >
        <div role="row" className="fleet-row head" aria-rowindex={1}>
          <span role="columnheader">Node</span>
          <span role="columnheader">State</span>
          <span role="columnheader">Deployment</span>
          <span role="columnheader">Labels</span>
          <span role="columnheader">Active / all</span>
        </div>
        <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map((item) => {
            const node = arrangement.order[item.index] ?? 0;
            const all = columns.counts
              .subarray(node * WIDTH, node * WIDTH + WIDTH)
              .reduce((sum, count) => sum + count, 0);
            const name = columns.name[node] ?? '';
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className="fleet-row"
                style={{
                  position: 'absolute',
                  transform: `translateY(${item.start}px)`,
                  left: 0,
                  right: 0,
                }}
              >
                <span role="cell" className="truncate">
                  <Link to="/nodes/$node" params={{ node: name }}>
                    {name}
                  </Link>
                </span>
                <span role="cell">
                  <State look={LOOK_CODES[columns.look[node] ?? 0] ?? 'down'} />
                </span>
                <span role="cell" className="truncate">
                  {deployments.get(columns.deployment[node] ?? 0)?.name}
                </span>
                <span role="cell" className="truncate faint">
                  {Object.entries(columns.labels[node] ?? {})
                    .map(([key, value]) => `${key}=${value}`)
                    .join('  ')}
                </span>
                <span role="cell" className="num">
                  {columns.counts[node * WIDTH + 4] ?? 0} / {all}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
};
