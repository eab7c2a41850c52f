import type { JsonObject } from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import type { Page, PageWish } from '../page/cursor.ts';
import { listById } from '../page/list-by-id.ts';

export interface AuditView {
  readonly id: number;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: JsonObject;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export const listAudit = (
  db: Db | Tx,
  wish: PageWish & { readonly filter: AuditFilter },
): Promise<Page<AuditView>> => {
  const { filter } = wish;
  const where: RawBuilder<unknown>[] = [];
  if (filter.actor !== undefined) where.push(sql`a.actor = ${filter.actor}`);
  if (filter.action !== undefined) where.push(sql`a.action = ${filter.action}`);
  if (filter.subject !== undefined) where.push(sql`position(${filter.subject} in a.subject) > 0`);
  if (filter.since !== undefined) where.push(sql`a.at >= ${filter.since}::timestamptz`);
  if (filter.until !== undefined) where.push(sql`a.at < ${filter.until}::timestamptz`);
  return listById<AuditView>(db, {
    name: 'audit',
    columns: sql`a.id, a.at, a.actor, a.action, a.subject, a.detail`,
    from: sql`audit a`,
    id: sql`a.id`,
    where,
    wish,
  });
};
