/** Who was heard of, told to the database together every few seconds; nobody is told too, it says that we listen. */
import { recordPresence, type Db, type Log } from '@hostwright/engine';

export interface PresenceBook {
  heard(nodeId: number): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

const FLUSH_MS = 3000;

export const createPresenceBook = (options: {
  readonly db: Db;
  readonly log: Log;
}): PresenceBook => {
  let heard = new Set<number>();
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const nodeIds = [...heard];
    heard = new Set();
    try {
      await recordPresence(options.db, nodeIds);
    } catch (error) {
      options.log.warn({ err: error, nodes: nodeIds.length }, 'could not record who was heard of');
    }
  };
  const flush = (): Promise<void> => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    heard: (nodeId) => void heard.add(nodeId),
    flush,
    close: () => {
      clearInterval(timer);
      return flush();
    },
  };
};
