/** What a jig needs to know of roles, read once per revision: a role's config may hold whole scripts. */
import type { JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export interface RoleContent {
  readonly barclamp: string;
  readonly config: JsonObject;
}

export interface RoleCache {
  load(roles: readonly { readonly id: number; readonly revision: number }[]): Promise<void>;
  get(role: { readonly id: number; readonly revision: number }): RoleContent | undefined;
}

const LIMIT = 5000;

export const createRoleCache = (db: Db): RoleCache => {
  const known = new Map<string, RoleContent>();
  const keyOf = (role: { id: number; revision: number }) => `${role.id}:${role.revision}`;
  return {
    get: (role) => known.get(keyOf(role)),
    load: async (roles) => {
      const missing = [
        ...new Set(roles.filter((role) => !known.has(keyOf(role))).map((role) => role.id)),
      ];
      if (missing.length === 0) return;
      if (known.size > LIMIT) known.clear();
      const { rows } = await sql<{
        id: number;
        revision: number;
        barclamp: string;
        config: JsonObject;
      }>`
        select r.id, r.revision, b.name as barclamp, r.config from role r join barclamp b on b.id = r.barclamp_id
        where r.id = any(${missing}::bigint[])`.execute(db);
      for (const row of rows) known.set(keyOf(row), { barclamp: row.barclamp, config: row.config });
      // claimed at a revision that an import has replaced since: what is there now is what there is
      for (const role of roles) {
        const row = rows.find((candidate) => candidate.id === role.id);
        if (row) known.set(keyOf(role), { barclamp: row.barclamp, config: row.config });
      }
    },
  };
};
