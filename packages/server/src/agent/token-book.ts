/**
 * Whose token is this? Ten thousand agents ask every 25 seconds, so answers are kept, and questions
 * that come within a few milliseconds of each other (a server was restarted and the whole fleet
 * comes back) are asked of PostgreSQL together. A token that was replaced leaves the book when the
 * database says so; writes for a task are checked in the database anyway.
 */
import { hashToken, readNodeTokens, type Db, type KnownToken } from '@hostwright/engine';

export interface TokenBook {
  find(token: string): Promise<Known | undefined>;
  /** The node is in another boot now. */
  rebooted(nodeId: number, bootId: string): void;
  forget(nodeId: number): void;
  forgetAll(): void;
}

const GATHER_MS = 3;
const KEEP_MS = 10 * 60_000;
const MOST = 50_000;
const LONGEST_TOKEN = 200;

/**
 * Without the hash: a Buffer of 32 bytes is a piece of a slab of 64 KB, and one kept piece keeps
 * the slab (seen: 30 KB per agent).
 */
export type Known = Omit<KnownToken, 'hash'>;
interface Kept {
  readonly known: Known;
  readonly until: number;
}
type Asker = {
  readonly hash: Buffer;
  resolve(known: Known | undefined): void;
  reject(error: unknown): void;
};

export const createTokenBook = (db: Db): TokenBook => {
  const kept = new Map<string, Kept>();
  const keysOf = new Map<number, Set<string>>();
  let askers: Asker[] = [];
  // An answer that was under way when a token died must not be kept.
  let forgotten = 0;

  const forget = (nodeId: number): void => {
    forgotten++;
    for (const key of keysOf.get(nodeId) ?? []) kept.delete(key);
    keysOf.delete(nodeId);
  };

  const keep = ({ hash, ...known }: KnownToken): void => {
    if (kept.size >= MOST) forgetAll();
    const key = hash.toString('base64');
    kept.set(key, { known, until: performance.now() + KEEP_MS });
    const keys = keysOf.get(known.nodeId) ?? new Set();
    keysOf.set(known.nodeId, keys.add(key));
  };

  const forgetAll = (): void => {
    forgotten++;
    kept.clear();
    keysOf.clear();
  };

  const askAll = async (): Promise<void> => {
    const asked = askers;
    const before = forgotten;
    askers = [];
    try {
      const found = await readNodeTokens(
        db,
        asked.map(({ hash }) => hash),
      );
      const byHash = new Map(found.map((known) => [known.hash.toString('base64'), known]));
      if (forgotten === before) for (const known of found) if (!known.next) keep(known);
      for (const asker of asked) asker.resolve(byHash.get(asker.hash.toString('base64')));
    } catch (error) {
      for (const asker of asked) asker.reject(error);
    }
  };

  const find = (token: string): Promise<Known | undefined> => {
    if (token.length > LONGEST_TOKEN) return Promise.resolve(undefined);
    const hash = hashToken(token);
    const here = kept.get(hash.toString('base64'));
    if (here !== undefined && here.until > performance.now()) return Promise.resolve(here.known);
    return new Promise((resolve, reject) => {
      if (askers.length === 0) setTimeout(() => void askAll(), GATHER_MS);
      askers.push({ hash, resolve, reject });
    });
  };

  const rebooted = (nodeId: number, bootId: string): void => {
    for (const key of keysOf.get(nodeId) ?? []) {
      const here = kept.get(key);
      if (here !== undefined) kept.set(key, { ...here, known: { ...here.known, bootId } });
    }
  };

  return { find, rebooted, forget, forgetAll };
};
