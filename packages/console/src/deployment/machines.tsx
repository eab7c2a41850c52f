/** Every machine, the undefined ones first, to be dragged onto a role: one, or all that are selected. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { LOOK_CODES } from '../fleet/columns.ts';
import { useFleet, useFleetTick, useFleetVersion } from '../live/fleet-store.ts';
import { LOOK_LABEL, StateMark } from '../ui/state.tsx';
import { plural } from '../ui/words.ts';
import { useDrag } from './drag.tsx';
import { SearchField } from '../ui/search-field.tsx';

const collator = new Intl.Collator('en', { numeric: true });

const useMachines = (search: string): readonly number[] => {
  const store = useFleet();
  const version = useFleetVersion();
  const tick = useFleetTick();
  return useMemo(() => {
    const { columns } = store;
    const wanted = search.trim().toLowerCase();
    const found: number[] = [];
    for (let node = 0; node < columns.size; node += 1)
      if (columns.admin[node] !== true && columns.name[node]?.includes(wanted) === true)
        found.push(node);
    const rank = (node: number) =>
      columns.look[node] === 0 ? 0 : columns.work[node] === 0 ? 1 : 2;
    return found.sort(
      (a, b) => rank(a) - rank(b) || collator.compare(columns.name[a] ?? '', columns.name[b] ?? ''),
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- they stand for the columns
  }, [store, search, version, tick]);
};

export const Machines = (props: {
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (nodes: ReadonlySet<string>) => void;
  readonly onBind: () => void;
}) => {
  const { selected } = props;
  const { columns } = useFleet();
  const drag = useDrag();
  const [search, setSearch] = useState('');
  const machines = useMachines(search);
  const scroller = useRef<HTMLDivElement>(null);
  const last = useRef<number>(undefined);
  const rows = useVirtualizer({
    count: machines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 32,
    overscan: 6,
    paddingStart: 6,
  });
  const select = (place: number, event: { readonly shiftKey: boolean }) => {
    const name = columns.name[machines[place] ?? 0] ?? '';
    const next = new Set(selected);
    if (event.shiftKey && last.current !== undefined) {
      const [from, to] = [Math.min(last.current, place), Math.max(last.current, place)];
      for (let at = from; at <= to; at += 1) next.add(columns.name[machines[at] ?? 0] ?? '');
    } else if (!next.delete(name)) next.add(name);
    last.current = place;
    props.onSelect(next);
  };
  return (
    <aside className="machines" aria-label="Machines to bind">
      <header>
        <h2>Machines</h2>
        <p>Drag one onto a role, or select several first (click, Shift for a range).</p>
        <SearchField
          label="Search machines"
          placeholder="Search"
          value={search}
          onChange={setSearch}
          small
        />
        <div className="row">
          <button className="btn small grow" disabled={selected.size === 0} onClick={props.onBind}>
            Bind {selected.size === 0 ? 'selected' : plural(selected.size, 'node')} to…
          </button>
          {selected.size === 0 ? null : (
            <button className="btn quiet small" onClick={() => props.onSelect(new Set())}>
              None
            </button>
          )}
        </div>
      </header>
      <div ref={scroller} className="scroll grow" style={{ position: 'relative' }}>
        <div style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const node = machines[item.index] ?? 0;
            const name = columns.name[node] ?? '';
            const look = LOOK_CODES[columns.look[node] ?? 0] ?? 'down';
            return (
              <button
                key={columns.id[node]}
                className="machine"
                data-machine={name}
                style={{ top: item.start }}
                aria-pressed={selected.has(name)}
                onPointerDown={(event) => {
                  if (event.button === 0)
                    drag.begin(event, selected.has(name) ? [...selected] : [name]);
                }}
                onClick={(event) => select(item.index, event)}
              >
                <span className="state" data-state={look}>
                  <StateMark look={look} />
                </span>
                <span className="truncate">{name}</span>
                <span className="sr-only">{LOOK_LABEL[look]}</span>
                {look === 'undefined' ? <span className="faint end">new</span> : null}
              </button>
            );
          })}
        </div>
      </div>
    </aside>
  );
};
