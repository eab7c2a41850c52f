import type { JsonObject } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';

export interface AuditEntry {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: JsonObject;
}

/** Who did what. The detail must hold no secret: the caller has taken them out. */
export const writeAudit = async (db: Db | Tx, entry: AuditEntry): Promise<void> => {
  await db
    .insertInto('audit')
    .values({ ...entry, detail: JSON.stringify(entry.detail) })
    .execute();
};
