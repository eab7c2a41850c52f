/**
 * A machine without an agent cannot say hello: it is asked, now and then, which boot it is in. The
 * answer is its hello; no answer is silence, judged like any other machine's.
 */
import {
  listSshNodes,
  reportHello,
  type Database,
  type Log,
  type SshNode,
} from '@hostwright/engine';
import type { Connections, Target } from './connections.ts';

export interface Greeter {
  /** Once, all of them. */
  greet(): Promise<void>;
  close(): void;
}

const EVERY_MS = 15_000;
const AT_ONCE = 16;
const BOOT_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export const createGreeter = (options: {
  readonly database: Database;
  readonly log: Log;
  readonly connections: Connections;
  readonly targetOf: (node: SshNode) => Promise<Target>;
}): Greeter => {
  const { database, log, connections } = options;
  const closing = new AbortController();
  let going: Promise<void> | undefined;

  const ask = async (node: SshNode): Promise<void> => {
    try {
      const parts: Buffer[] = [];
      await connections.exec(await options.targetOf(node), {
        command: 'exec cat /proc/sys/kernel/random/boot_id',
        onOut: (bytes) => parts.push(bytes),
      });
      const bootId = Buffer.concat(parts).toString('utf8').trim();
      if (BOOT_ID.test(bootId) && !closing.signal.aborted)
        await reportHello(database.db, { nodeId: node.id, bootId });
    } catch (error) {
      log.debug({ err: error, node: node.name }, 'no answer over SSH');
    }
  };

  const greetAll = async (): Promise<void> => {
    const nodes = [...(await listSshNodes(database.db))];
    const next = async (): Promise<void> => {
      for (
        let node = nodes.pop();
        node !== undefined && !closing.signal.aborted;
        node = nodes.pop()
      )
        await ask(node);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  };

  const greet = (): Promise<void> => {
    going ??= greetAll()
      .catch((error: unknown) => log.warn({ err: error }, 'could not ask machines over SSH'))
      .finally(() => {
        going = undefined;
      });
    return going;
  };
  const timer = setInterval(() => void greet(), EVERY_MS).unref();
  return {
    greet,
    close: () => {
      closing.abort();
      clearInterval(timer);
    },
  };
};
