/**
 * A database on which the next change carries its audit row: `transaction` writes it in the same
 * transaction, so that there is no change without its row and no row without its change. A refusal
 * that comes back as a value is no change.
 */
import { writeAudit, type AuditEntry } from '../audit/write-audit.ts';
import type { Db, Tx } from './open.ts';

interface Owed {
  readonly entry: AuditEntry;
  state: 'owed' | 'being written' | 'written';
}

const owedBy = new WeakMap<Db, Owed>();

export interface AuditedDb {
  readonly db: Db;
  /** Whether a change was made and written down. */
  written(): boolean;
}

export const auditChange = (db: Db, entry: AuditEntry): AuditedDb => {
  // the same connections; only the object differs, and it is what `transaction` looks at
  const own = db.withoutPlugins();
  const owed: Owed = { entry, state: 'owed' };
  owedBy.set(own, owed);
  return { db: own, written: () => owed.state === 'written' };
};

const isRefusal = (result: unknown): boolean =>
  typeof result === 'object' &&
  result !== null &&
  (('ok' in result && result.ok === false) ||
    ('refusals' in result && Array.isArray(result.refusals) && result.refusals.length > 0));

/** Runs one attempt at a transaction of `db`, its audit row within. */
export const executeAudited = async <Result>(
  db: Db,
  body: (tx: Tx) => Promise<Result>,
): Promise<Result> => {
  const owed = owedBy.get(db);
  if (owed === undefined) return db.transaction().execute(body);
  let mine = false;
  try {
    const result = await db.transaction().execute(async (tx) => {
      const done = await body(tx);
      if (owed.state === 'owed' && !isRefusal(done)) {
        owed.state = 'being written';
        mine = true;
        await writeAudit(tx, owed.entry);
      }
      return done;
    });
    if (mine) owed.state = 'written';
    return result;
  } catch (error) {
    if (mine) owed.state = 'owed';
    throw error;
  }
};
