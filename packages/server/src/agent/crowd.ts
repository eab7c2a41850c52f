/** What a crowd of machines says at once - a rack was switched on, a server restarted - in few transactions. */
import {
  joinNewNodes,
  joinNode,
  listLiveTasks,
  reportHello,
  reportHellos,
  reportInventories,
  reportInventory,
  rotateNodeTokens,
  type Db,
  type Hello,
  type Inventory,
  type InventoryOptions,
  type Joined,
  type JoinOptions,
  type LiveTask,
} from '@hostwright/engine';
import { gather, type Gathered } from './gather.ts';

/** Age at which a node's token is replaced. */
const ROTATE_AFTER_SECONDS = 86_400;

interface HelloAsked {
  readonly nodeId: number;
  readonly bootId: string;
}

export interface HelloAnswer {
  readonly hello: Hello;
  /** The token that replaces the node's, when it is old. */
  readonly rotate: string | undefined;
}

export interface Crowd {
  readonly joins: Gathered<JoinOptions, Joined>;
  readonly hellos: Gathered<HelloAsked, HelloAnswer>;
  readonly inventories: Gathered<InventoryOptions, Inventory>;
  readonly live: Gathered<number, readonly LiveTask[]>;
}

const rotate = (db: Db, nodeIds: readonly number[]) =>
  rotateNodeTokens(db, { nodeIds, olderThanSeconds: ROTATE_AFTER_SECONDS });

export const createCrowd = (db: Db): Crowd => ({
  joins: gather<JoinOptions, Joined>({
    batches: 2,
    // five keys each: more than 256 identities in one transaction would lock out all others
    most: 48,
    singles: 8,
    together: async (asked) =>
      (await joinNewNodes(db, asked)).map((joined) => joined && { ok: true as const, ...joined }),
    alone: (asked) => joinNode(db, asked),
  }),
  hellos: gather<HelloAsked, HelloAnswer>({
    batches: 2,
    most: 200,
    singles: 4,
    key: ({ nodeId }) => nodeId,
    together: async (asked) => {
      const hellos = await reportHellos(db, asked);
      const next = await rotate(db, [...hellos.keys()]);
      return asked.map(({ nodeId }) => {
        const hello = hellos.get(nodeId);
        return hello && { hello, rotate: hello.ok ? next.get(nodeId) : undefined };
      });
    },
    alone: async (asked) => {
      const hello = await reportHello(db, asked);
      const next = hello.ok ? await rotate(db, [asked.nodeId]) : undefined;
      return { hello, rotate: next?.get(asked.nodeId) };
    },
  }),
  inventories: gather<InventoryOptions, Inventory>({
    batches: 2,
    most: 50,
    singles: 4,
    key: ({ nodeId }) => nodeId,
    together: async (asked) => {
      const stored = await reportInventories(db, asked);
      return asked.map(({ nodeId }) => stored.get(nodeId));
    },
    alone: (asked) => reportInventory(db, asked),
  }),
  live: gather<number, readonly LiveTask[]>({
    batches: 2,
    most: 500,
    singles: 4,
    together: async (nodeIds) => {
      const byNode = Map.groupBy(await listLiveTasks(db, nodeIds), (task) => task.nodeId);
      return nodeIds.map((nodeId) => byNode.get(nodeId) ?? []);
    },
    alone: (nodeId) => listLiveTasks(db, [nodeId]),
  }),
});
