/** Decisions about boots, the newest first. */
import { HostwrightError } from '@hostwright/core';
import { listById, needNode, type Db, type Page, type PageWish, type Tx } from '@hostwright/engine';
import { sql, type RawBuilder } from 'kysely';

export interface IntentView {
  readonly id: number;
  readonly nodeId: number | null;
  readonly node: string | null;
  readonly mac: string | null;
  readonly bootenv: string;
  readonly runId: number | null;
  readonly state: 'open' | 'used' | 'void' | 'expired';
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

const page = (db: Db | Tx, where: readonly RawBuilder<unknown>[], wish: PageWish) =>
  listById<IntentView>(db, {
    name: 'boot intent',
    columns: sql`i.id, n.id as "nodeId", n.name as node, i.mac, i.bootenv, i.run_id as "runId",
      case when i.used_at is not null then 'used' when i.void_at is not null then 'void'
           when i.expires_at <= now() then 'expired' else 'open' end as state,
      i.void_reason as reason, i.created_at as "createdAt", i.expires_at as "expiresAt", i.used_at as "usedAt"`,
    from: sql`boot_intent i left join node n on n.id = i.node_id`,
    id: sql`i.id`,
    where,
    wish,
  });

export const listIntents = async (
  db: Db,
  options: PageWish & {
    readonly filter: { readonly node?: string | undefined; readonly open?: boolean | undefined };
  },
): Promise<Page<IntentView>> => {
  const { node, open } = options.filter;
  return page(
    db,
    [
      ...(node === undefined ? [] : [sql`i.node_id = ${(await needNode(db, node)).id}`]),
      ...(open === undefined
        ? []
        : [
            sql`(i.used_at is null and i.void_at is null and i.expires_at > now()) = ${open}::boolean`,
          ]),
    ],
    options,
  );
};

export const needIntent = async (db: Db | Tx, id: number): Promise<IntentView> => {
  const { items } = await page(db, [sql`i.id = ${id}`], { limit: 1 });
  const [intent] = items;
  if (intent === undefined)
    throw new HostwrightError('not_found', { message: `there is no boot intent ${id}` });
  return intent;
};
