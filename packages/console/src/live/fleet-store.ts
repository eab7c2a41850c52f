/** The fleet as it is now: read once, then kept current by events, read again after a gap. */
import type { NoderoleState } from '@hostwright/core/noderole/state';
import type { Event } from '@hostwright/api/nouns/event';
import { fleet_get, FLEET_BITS, type Fleet } from '@hostwright/api/nouns/fleet';
import { createContext, use, useSyncExternalStore } from 'react';
import { send } from '../session/client.ts';
import {
  changedLooks,
  dropNode,
  emptyFleet,
  moveNoderole,
  putNode,
  refreshLook,
  sameShape,
  WIDTH,
  type FleetColumns,
} from '../fleet/columns.ts';
import type { Feed } from './feed.ts';

export interface FleetStore {
  readonly columns: FleetColumns;
  readonly deployments: ReadonlyMap<
    number,
    { readonly name: string; readonly parentId: number | null }
  >;
  /** Grows when nodes come, go, move or change their labels: then the grid is arranged anew. */
  readonly version: number;
  /** Grows, at most four times a second, when any look changed: for counters. */
  readonly tick: number;
  readonly loaded: boolean;
  readonly failure: unknown;
  readonly onCells: (listener: (nodes: readonly number[]) => void) => () => void;
  readonly subscribe: (listener: () => void) => () => void;
  readonly load: () => Promise<string | undefined>;
  readonly take: (events: readonly Event[]) => void;
}

const labelsAt = (answer: Fleet, at: number): Readonly<Record<string, string>> | null => {
  let labels: Record<string, string> | null = null;
  for (const [key, column] of Object.entries(answer.labels)) {
    const value = column.values[column.index[at] ?? -1];
    if (value !== undefined) (labels ??= {})[key] = value;
  }
  return labels;
};

const fill = (answer: Fleet): FleetColumns => {
  const columns = emptyFleet(Math.max(64, answer.count));
  for (let at = 0; at < answer.count; at += 1) {
    const bits = answer.bits[at] ?? 0;
    putNode(columns, {
      id: answer.ids[at] ?? 0,
      name: answer.names[at] ?? '',
      deployment: answer.deployments[answer.deployment[at] ?? 0]?.id ?? 0,
      alive: (bits & FLEET_BITS.alive) !== 0,
      available: (bits & FLEET_BITS.available) !== 0,
      admin: (bits & FLEET_BITS.admin) !== 0,
      labels: labelsAt(answer, at),
      counts: answer.counts.slice(at * WIDTH, at * WIDTH + WIDTH),
      work: answer.work[at] ?? 0,
    });
  }
  return columns;
};

/** Cursors are position.id, in the order of commit. */
const isAfter = (cursor: string, than: string): boolean => {
  const [position = 0, id = 0] = cursor.split('.').map(Number);
  const [thanPosition = 0, thanId = 0] = than.split('.').map(Number);
  return position > thanPosition || (position === thanPosition && id > thanId);
};

const RETRY_MS = 3000;

export const createFleetStore = (feed: Feed): FleetStore => {
  let columns = emptyFleet();
  let deployments = new Map<number, { name: string; parentId: number | null }>();
  let systemId = 0;
  let version = 0;
  let tick = 0;
  let loaded = false;
  let failure: unknown;
  let loading: Promise<string | undefined> | undefined;
  let telling: ReturnType<typeof setTimeout> | undefined;
  let reloading: ReturnType<typeof setTimeout> | undefined;
  let checking: ReturnType<typeof setTimeout> | undefined;
  let meanwhile: Event[] = [];
  let lastLoad = 0;
  const listeners = new Set<() => void>();
  const cells = new Set<(nodes: readonly number[]) => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const tellSoon = (): void => {
    telling ??= setTimeout(() => {
      telling = undefined;
      tick += 1;
      tell();
    }, 250);
  };

  /** Puts a fresh read in place; arranges anew only if it holds other nodes than before. */
  const settle = (answer: Fleet): void => {
    const fresh = fill(answer);
    const same = loaded && sameShape(columns, fresh);
    const changed = same ? changedLooks(columns, fresh) : [];
    columns = fresh;
    deployments = new Map(answer.deployments.map((each) => [each.id, each]));
    systemId = answer.deployments.find((each) => each.parentId === null)?.id ?? 0;
    if (!same) version += 1;
    loaded = true;
    failure = undefined;
    lastLoad = performance.now();
    // what came while the read was under way and is not in it
    const later = meanwhile.filter((event) => isAfter(event.cursor, answer.position));
    apply(later);
    if (changed.length > 0) for (const listener of cells) listener(changed);
  };

  const load = (): Promise<string | undefined> => {
    if (loading !== undefined) return loading;
    meanwhile = [];
    loading = send(fleet_get, {})
      .then((answer) => {
        settle(answer);
        return answer.position;
      })
      .catch((error: unknown) => {
        failure = error;
        // nothing else would ask again: events tell of changes only
        if (!loaded) reloading ??= setTimeout(retry, RETRY_MS);
        return undefined;
      })
      .finally(() => {
        loading = undefined;
        tick += 1;
        tell();
      });
    return loading;
  };

  const retry = (): void => {
    reloading = undefined;
    void load();
  };

  /**
   * Events that a read held already are counted twice, and nothing in them says so. So when it has
   * grown quiet, or after a minute of unrest, all is read once more: then it is right again.
   */
  const checkLater = (): void => {
    clearTimeout(checking);
    const large = columns.size > 5000;
    const overdue = performance.now() - lastLoad > 60_000;
    checking = setTimeout(() => void load(), overdue ? 0 : large ? 4000 : 1500);
  };

  /** Things an event does not tell in full (a new node, a moved one): read all, but seldom. */
  const loadSoon = (): void => {
    reloading ??= setTimeout(retry, columns.size > 2000 ? 1500 : 250);
  };

  const takeNode = (event: Event, touched: number[]): void => {
    const id = event.nodeId ?? 0;
    const at = columns.at.get(id);
    if (event.kind === 'node.deleted') {
      dropNode(columns, id);
      version += 1;
      tellSoon();
      return;
    }
    if (
      at === undefined ||
      event.payload['deployment'] !== undefined ||
      event.payload['labels'] !== undefined
    ) {
      loadSoon();
      return;
    }
    const { alive, available, name } = event.payload;
    if (typeof alive === 'boolean') columns.alive[at] = alive;
    if (typeof available === 'boolean') columns.available[at] = available;
    if (typeof name === 'string') columns.name[at] = name;
    touched.push(at);
  };

  const takeState = (event: Event, touched: number[]): void => {
    const from = (event.payload['from'] ?? null) as NoderoleState | null;
    const to = (event.payload['to'] ?? null) as NoderoleState | null;
    const at = moveNoderole(columns, {
      node: event.nodeId ?? 0,
      from,
      to,
      system: event.deploymentId === systemId,
    });
    if (at === undefined) loadSoon();
    else touched.push(at);
  };

  const take = (events: readonly Event[]): void => {
    if (loading !== undefined) meanwhile.push(...events);
    apply(events);
    if (events.some((event) => event.kind.startsWith('node'))) checkLater();
  };

  const apply = (events: readonly Event[]): void => {
    const touched: number[] = [];
    for (const event of events) {
      if (event.kind === 'noderole.state' || event.kind === 'noderole.removed')
        takeState(event, touched);
      else if (event.kind.startsWith('node.')) takeNode(event, touched);
      else if (event.kind.startsWith('deployment.')) loadSoon();
    }
    const changed = touched.filter((at) => at < columns.size && refreshLook(columns, at));
    if (changed.length === 0) return;
    for (const listener of cells) listener(changed);
    tellSoon();
  };

  feed.onEvents(take);
  feed.onGap(() => void load());
  return {
    get columns() {
      return columns;
    },
    get deployments() {
      return deployments;
    },
    get version() {
      return version;
    },
    get tick() {
      return tick;
    },
    get loaded() {
      return loaded;
    },
    get failure() {
      return failure;
    },
    onCells: (listener) => {
      cells.add(listener);
      return () => cells.delete(listener);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    load,
    take,
  };
};

export const FleetContext = createContext<FleetStore | null>(null);

export const useFleet = (): FleetStore => {
  const store = use(FleetContext);
  if (store === null) throw new Error('no fleet store above this component');
  return store;
};

/** Renders again when nodes come and go. */
export const useFleetVersion = (): number => {
  const store = useFleet();
  return useSyncExternalStore(store.subscribe, () => store.version);
};

/** Renders again, at most four times a second, when any state changed. */
export const useFleetTick = (): number => {
  const store = useFleet();
  return useSyncExternalStore(store.subscribe, () => store.tick);
};
