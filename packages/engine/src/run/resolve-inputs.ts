/** Stands in until the layered attributes are there: role data under the noderole's own data. */
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface ResolvedInputs {
  readonly attribs: JsonObject;
  readonly attribsHash: string;
  readonly inputHash: string;
  readonly secrets: readonly never[];
}

export const resolveInputs = async (
  db: Db | Tx,
  noderoleIds: readonly number[],
): Promise<Map<number, ResolvedInputs>> => {
  const { rows } = await sql<{ id: number; role: JsonObject; own: JsonObject; hint: JsonObject }>`
    select w.id, r.data as role, w.data as own, n.hint from noderole w join role r on r.id = w.role_id join node n on n.id = w.node_id
    where w.id = any(${[...noderoleIds]}::bigint[])`.execute(db);
  return new Map(
    rows.map((row) => {
      const attribs = { ...row.role, ...row.hint, ...row.own };
      const hash = createHash('sha256').update(canonicalJson(attribs)).digest('hex');
      return [row.id, { attribs, attribsHash: hash, inputHash: hash, secrets: [] }] as const;
    }),
  );
};
