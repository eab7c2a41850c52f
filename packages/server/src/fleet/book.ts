/**
 * The fleet in memory: every node with its noderoles counted by state. Read once, then kept by
 * following the events, which say each change exactly once and in order. Without it each look at
 * 10,000 nodes would count 200,000 noderoles anew.
 *
 * It is opened by the first who asks and is never the truth: whoever asks first waits until it has
 * taken everything that was committed before.
 */
import { NODEROLE_STATES, type NoderoleState, type NodeRollup } from '@hostwright/core';
import {
  readFleet,
  readFleetNodes,
  readHead,
  rollupOf,
  sequenceEvents,
  type Cursor,
  type Database,
  type EventFeed,
  type EventRecord,
  type FleetNode,
  type Subscription,
} from '@hostwright/engine';

type Counts = Record<NoderoleState, number> & { work: number };
export interface BookRow extends FleetNode, Readonly<Counts> {}

interface Entry {
  node: FleetNode;
  readonly counts: Counts;
}

export interface FleetBook {
  /** As of everything that was committed when this was called. */
  read(): Promise<{ readonly cursor: Cursor; readonly rows: readonly BookRow[] }>;
  /** Nodes whose roll-up is one of these. */
  idsWith(rollups: readonly NodeRollup[]): Promise<number[]>;
  close(): void;
}

const isState = (value: unknown): value is NoderoleState =>
  NODEROLE_STATES.some((state) => state === value);

const NONE: Counts = {
  proposed: 0,
  blocked: 0,
  todo: 0,
  transition: 0,
  active: 0,
  error: 0,
  work: 0,
};

const openPages = async (options: {
  readonly database: Database;
  readonly feed: EventFeed;
  readonly onLost: () => void;
}) => {
  const { db } = options.database;
  const first = await readFleet(db);
  const seen = new Set(first.seen);
  const entries = new Map<number, Entry>(
    first.rows.map(({ id, name, deploymentId, alive, available, admin, labels, ...counts }) => [
      id,
      { node: { id, name, deploymentId, alive, available, admin, labels }, counts },
    ]),
  );
  /** Counts of nodes that are deleted or not yet read: their events come in any case. */
  const orphans = new Map<number, Counts>();
  const waiters = new Set<() => void>();
  let cursor = first.head;

  const countsOf = (nodeId: number): Counts => {
    const known = entries.get(nodeId)?.counts ?? orphans.get(nodeId) ?? { ...NONE };
    if (!entries.has(nodeId)) orphans.set(nodeId, known);
    return known;
  };

  const count = (event: EventRecord): void => {
    if (event.nodeId === null || seen.delete(event.id) || !event.kind.startsWith('noderole.'))
      return;
    const { from, to } = event.payload;
    const counts = countsOf(event.nodeId);
    const outside = event.deploymentId === first.systemId ? 0 : 1;
    if (isState(from)) counts[from] -= 1;
    else counts.work += outside;
    if (isState(to)) counts[to] += 1;
    else counts.work -= outside;
  };

  const place = (id: number, node: FleetNode | undefined): void => {
    const counts = countsOf(id);
    if (node === undefined) {
      entries.delete(id);
      orphans.set(id, counts);
    } else {
      entries.set(id, { node, counts });
      orphans.delete(id);
    }
  };

  const subscription: Subscription = options.feed.subscribe({
    after: first.head,
    filter: { kinds: ['noderole.state', 'noderole.removed', 'node.*'] },
    onEvents: async (page) => {
      if (page.lost) {
        options.onLost();
        return;
      }
      const touched = new Set(
        page.events.flatMap((event) =>
          event.kind.startsWith('node.') ? (event.nodeId ?? []) : [],
        ),
      );
      const read = touched.size === 0 ? [] : await readFleetNodes(db, [...touched]);
      const found = new Map(read.map((node) => [node.id, node]));
      // in one go: whoever reads sees the rows of exactly this cursor
      for (const event of page.events) count(event);
      for (const id of touched) place(id, found.get(id));
      cursor = page.cursor;
      for (const wake of waiters) wake();
    },
    onError: options.onLost,
  });
  return {
    entries,
    waiters,
    /** Pages without an event of ours move the subscription, not us. */
    cursor: (): Cursor =>
      subscription.cursor().position > cursor.position ? subscription.cursor() : cursor,
    close: () => subscription.close(),
  };
};

type Pages = Awaited<ReturnType<typeof openPages>>;

/** Longer than any page of events takes; after it the book is opened anew. */
const PATIENCE_MS = 5000;
const LOOK_MS = 5;

export const createFleetBook = (options: {
  readonly database: Database;
  readonly feed: EventFeed;
}): FleetBook => {
  let opened: Promise<Pages> | undefined;
  const drop = (): void => {
    const old = opened;
    opened = undefined;
    old?.then((pages) => pages.close()).catch(() => {});
  };
  const open = (): Promise<Pages> => {
    opened ??= openPages({ ...options, onLost: drop }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  const current = async (): Promise<Pages> => {
    const { db } = options.database;
    await sequenceEvents(db);
    const head = await readHead(db);
    const started = performance.now();
    let pages = await open();
    while (pages.cursor().position < head.position) {
      if (performance.now() - started > PATIENCE_MS) {
        drop();
        pages = await open();
        break;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LOOK_MS);
      pages.waiters.add(resolve);
      await promise;
      clearTimeout(timer);
      pages.waiters.delete(resolve);
    }
    return pages;
  };

  return {
    read: async () => {
      const pages = await current();
      const rows = [...pages.entries.values()].map(({ node, counts }) => ({ ...node, ...counts }));
      return { cursor: pages.cursor(), rows: rows.toSorted((one, other) => one.id - other.id) };
    },
    idsWith: async (rollups) => {
      const wanted = new Set<NodeRollup>(rollups);
      const pages = await current();
      const ids: number[] = [];
      for (const { node, counts } of pages.entries.values())
        if (wanted.has(rollupOf({ ...counts, admin: node.admin }))) ids.push(node.id);
      return ids;
    },
    close: drop,
  };
};
