/**
 * The polls that wait. While nothing is offered a parked poll costs one entry in a map: no query,
 * no timer of its own. A notification names the node; the tasks of all nodes named within a moment
 * are read by one statement. The tick makes right what a lost notification or a lost answer left.
 */
import { listOfferedTasks, type Db, type Log, type OfferedTask } from '@hostwright/engine';

export interface Parking {
  /** Resolves with a task, or with undefined when the time is up or another poll took its place. */
  park(nodeId: number, seconds: number, signal: AbortSignal): Promise<OfferedTask | undefined>;
  /** Something may be offered to this node. */
  wake(nodeId: number): void;
  /** Read again who has tasks: notifications may have been missed. */
  resync(): Promise<void>;
  /**
   * Is the machine that polls for this node still there? Its poll is answered with nothing; whoever
   * is there asks again at once, a connection that nobody holds any more stays silent.
   */
  probe(nodeId: number, milliseconds: number): Promise<boolean>;
  parked(): number;
  close(): void;
}

interface Poll {
  readonly until: number;
  resolve(task: OfferedTask | undefined): void;
}

const TICK_MS = 1000;
const RESYNC_EVERY_TICKS = 10;
/** An answer may be lost on its way; a task that was not acknowledged is handed out again. */
const HAND_OUT_AGAIN_MS = 5000;

export const createParking = (options: { readonly db: Db; readonly log: Log }): Parking => {
  const polls = new Map<number, Poll>();
  const probes = new Map<number, (there: boolean) => void>();
  const pending = new Set<number>();
  const handedOut = new Map<string, number>();
  let due = new Set<number>();
  let reading: Promise<void> | undefined;
  let ticks = 0;

  const choose = (tasks: readonly OfferedTask[]): OfferedTask | undefined => {
    const now = performance.now();
    const task = tasks.find(({ runId, token, action }) => {
      const at = handedOut.get(`${runId}/${token}/${action}`);
      return at === undefined || now - at > HAND_OUT_AGAIN_MS;
    });
    if (task !== undefined) handedOut.set(`${task.runId}/${task.token}/${task.action}`, now);
    return task;
  };

  const answer = (nodeId: number, task: OfferedTask | undefined): void => {
    const poll = polls.get(nodeId);
    polls.delete(nodeId);
    poll?.resolve(task);
  };

  const readDue = async (): Promise<void> => {
    const nodeIds = [...due];
    due = new Set();
    // Taken off first: a notification that comes during the read puts the node back.
    for (const nodeId of nodeIds) pending.delete(nodeId);
    const byNode = Map.groupBy(await listOfferedTasks(options.db, nodeIds), (task) => task.nodeId);
    for (const [nodeId, tasks] of byNode) {
      pending.add(nodeId);
      if (!polls.has(nodeId)) continue;
      const task = choose(tasks);
      if (task !== undefined) answer(nodeId, task);
    }
  };

  const schedule = (): void => {
    if (due.size === 0 || reading !== undefined) return;
    reading = new Promise((resolve) => setImmediate(resolve))
      .then(readDue)
      .catch((error: unknown) => {
        options.log.warn({ err: error }, 'could not read the tasks of agents');
      })
      .finally(() => {
        reading = undefined;
        schedule();
      });
  };

  const wake = (nodeId: number): void => {
    pending.add(nodeId);
    if (!polls.has(nodeId)) return;
    due.add(nodeId);
    schedule();
  };

  const resync = async (): Promise<void> => {
    const tasks = await listOfferedTasks(options.db);
    for (const { nodeId } of tasks) wake(nodeId);
  };

  const tick = (): void => {
    const now = performance.now();
    for (const [nodeId, poll] of polls) if (poll.until <= now) answer(nodeId, undefined);
    for (const [key, at] of handedOut) if (now - at > 2 * HAND_OUT_AGAIN_MS) handedOut.delete(key);
    for (const nodeId of pending) if (polls.has(nodeId)) due.add(nodeId);
    schedule();
    if (++ticks % RESYNC_EVERY_TICKS === 0)
      resync().catch((error: unknown) => {
        options.log.warn({ err: error }, 'could not read who has tasks');
      });
  };
  const timer = setInterval(tick, TICK_MS).unref();

  return {
    park: (nodeId, seconds, signal) => {
      // A node has one poll: an older one is of a connection that the machine has given up.
      answer(nodeId, undefined);
      return new Promise((resolve) => {
        const poll: Poll = { until: performance.now() + seconds * 1000, resolve };
        polls.set(nodeId, poll);
        probes.get(nodeId)?.(true);
        signal.addEventListener(
          'abort',
          () => {
            if (polls.get(nodeId) === poll) polls.delete(nodeId);
            resolve(undefined);
          },
          { once: true },
        );
        if (pending.has(nodeId)) wake(nodeId);
      });
    },
    wake,
    resync,
    probe: (nodeId, milliseconds) => {
      if (!polls.has(nodeId)) return Promise.resolve(false);
      return new Promise((resolve) => {
        const done = (there: boolean): void => {
          clearTimeout(timeout);
          probes.delete(nodeId);
          resolve(there);
        };
        const timeout = setTimeout(() => done(false), milliseconds);
        probes.get(nodeId)?.(false);
        probes.set(nodeId, done);
        answer(nodeId, undefined);
      });
    },
    parked: () => polls.size,
    close: () => {
      clearInterval(timer);
      for (const nodeId of polls.keys()) answer(nodeId, undefined);
    },
  };
};
