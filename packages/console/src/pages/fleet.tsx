/** Every machine at a glance, live. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { arrange, groupableLabels, NEW_MACHINES } from '../fleet/arrange.ts';
import { CellMark } from '../fleet/cell-mark.tsx';
import { tally } from '../fleet/columns.ts';
import { FleetGrid, type Pointed } from '../fleet/grid.tsx';
import { HoverCard } from '../fleet/hover-card.tsx';
import { DENSITIES, type Density } from '../fleet/layout.ts';
import { useSettled } from '../fleet/use-settled.ts';
import { FleetTable } from '../fleet/table-twin.tsx';
import { useFleet, useFleetTick, useFleetVersion } from '../live/fleet-store.ts';
import { Offers } from '../node/offers.tsx';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { LOOK_LABEL, LOOK_MEANING, LOOKS, type Look } from '../ui/state.tsx';
import { SearchField } from '../ui/search-field.tsx';

const densityFor = (wanted: string | undefined, size: number): Density => {
  if (wanted !== undefined && Object.hasOwn(DENSITIES, wanted)) return wanted as Density;
  return size <= 300 ? 'names' : size <= 20_000 ? 'cells' : 'dense';
};

const Legend = ({
  chosen,
  onChoose,
}: {
  readonly chosen: ReadonlySet<Look> | null;
  readonly onChoose: (look: Look) => void;
}) => {
  const store = useFleet();
  const mayBind = useMay('operator');
  useFleetTick();
  const sums = tally(store.columns);
  return (
    <div className="legend" role="group" aria-label="Show only these states">
      {LOOKS.filter(
        (look) =>
          sums[look] > 0 || chosen?.has(look) === true || look === 'active' || look === 'error',
      ).map((look) => (
        <button
          key={look}
          className="legend-item state"
          data-state={look}
          aria-pressed={chosen?.has(look) === true}
          title={LOOK_MEANING[look]}
          onClick={() => onChoose(look)}
        >
          <CellMark look={look} />
          <span>{LOOK_LABEL[look]}</span>
          <span className="num">{sums[look].toLocaleString('en')}</span>
        </button>
      ))}
      {sums.undefined > 0 && mayBind ? (
        <Link className="legend-call" to="/deployments">
          {sums.undefined === 1 ? 'A new machine waits' : `${sums.undefined} new machines wait`} for
          a role
        </Link>
      ) : null}
    </div>
  );
};

const titleOf = (group: string, label: string): string => {
  if (label === NEW_MACHINES) return 'New machines';
  if (label === '') return `no ${group}`;
  return group === 'state' ? LOOK_LABEL[label as Look] : label;
};

const NoNodes = () => (
  <Empty
    icon="fleet"
    title="No machines yet"
    actions={
      <Link className="btn primary" to="/start">
        <Icon name="plus" /> Add machines
      </Link>
    }
  >
    Machines appear here by themselves as soon as they join: by a command, by network boot, from a
    cloud, or simulated. Each is a cell; its colour and mark say what it is doing.
  </Empty>
);

export const FleetPage = () => {
  useCrumbs({ label: 'Fleet' });
  const search = useSearch({ from: '/inside/fleet' });
  const navigate = useNavigate({ from: '/fleet' });
  const store = useFleet();
  const version = useFleetVersion();
  const [pointed, setPointed] = useState<Pointed>();
  const [text, setText] = useState(search.q ?? '');
  const needle = useDeferredValue(text);
  const group = search.group ?? 'deployment';
  const looks = useMemo(
    () => (search.states === undefined ? null : new Set(search.states.split(',') as Look[])),
    [search.states],
  );
  // a filter or a grouping by state follows the states, one by deployment the new machines;
  // nothing else needs arranging anew
  const tick = useFleetTick();
  const { size } = store.columns;
  const fresh = useSettled(tally(store.columns).undefined, size > 2000 ? 1500 : 0);
  const follow =
    looks !== null || group === 'state' ? `${tick}` : group === 'deployment' ? `new ${fresh}` : '';
  const deploymentName = (id: number) => store.deployments.get(id)?.name ?? '';
  const arrangement = useMemo(
    () => arrange(store.columns, { group, search: needle, looks, deploymentName }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- version stands for the columns
    [store, version, group, needle, looks, follow],
  );
  const labels = useMemo(() => groupableLabels(store.columns), [store, version]);
  const density = densityFor(search.density, store.columns.size);
  const change = (next: Record<string, string | undefined>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const choose = (look: Look) => {
    const next = new Set(looks ?? []);
    if (!next.delete(look)) next.add(look);
    change({ states: next.size === 0 ? undefined : [...next].join(',') });
  };

  if (!store.loaded)
    return (
      <div className="page">
        {store.failure === undefined ? <Skeleton lines={8} /> : <Trouble error={store.failure} />}
      </div>
    );
  if (store.columns.size === 0) return <NoNodes />;
  return (
    <div className="page full">
      <h1 className="sr-only">Fleet</h1>
      <div className="toolbar">
        <SearchField
          label="Search nodes"
          placeholder={`Search ${store.columns.size.toLocaleString('en')} nodes: name, deployment, label=value`}
          value={text}
          onChange={(next) => {
            setText(next);
            change({ q: next === '' ? undefined : next });
          }}
        />
        <label className="row tight muted">
          Group
          <select
            className="select small"
            value={group}
            onChange={(event) => change({ group: event.target.value })}
          >
            <option value="deployment">deployment</option>
            <option value="state">state</option>
            <option value="none">none</option>
            {labels.map((label) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {search.view === 'table' ? null : (
          <Segmented
            label="Size of the cells"
            value={density}
            options={{ names: 'Names', cells: 'Cells', dense: 'Dense' }}
            onChange={(value) => change({ density: value })}
          />
        )}
        <Segmented
          label="View"
          value={search.view ?? 'grid'}
          options={{ grid: 'Grid', table: 'Table' }}
          onChange={(value) => change({ view: value === 'grid' ? undefined : value })}
        />
      </div>
      <div className="fleet-notices">
        <Offers />
      </div>
      <Legend chosen={looks} onChoose={choose} />
      {arrangement.order.length === 0 ? (
        <Empty
          icon="search"
          title="No node matches"
          actions={
            <button
              className="btn"
              onClick={() => {
                setText('');
                change({ q: undefined, states: undefined });
              }}
            >
              Show all
            </button>
          }
        >
          Search looks at names, deployments and labels. Several words must all be found.
        </Empty>
      ) : search.view === 'table' ? (
        <FleetTable arrangement={arrangement} />
      ) : (
        <FleetGrid
          arrangement={arrangement}
          density={density}
          groupTitle={(label) => titleOf(group, label)}
          onPoint={setPointed}
          onOpen={(node) =>
            void navigate({ to: '/nodes/$node', params: { node: store.columns.name[node] ?? '' } })
          }
        />
      )}
      {pointed === undefined ? null : <HoverCard pointed={pointed} />}
    </div>
  );
};
