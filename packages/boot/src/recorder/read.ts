/** Reads the flight recorder: boot attempts with the last thing seen of each, and one timeline. */
import { HostwrightError, type JsonObject } from '@hostwright/core';
import { listById, needNode, type Db, type Page, type PageWish } from '@hostwright/engine';
import { sql, type RawBuilder } from 'kysely';
import type { BootEnd, BootEventKind } from './record.ts';

export interface BootView {
  readonly id: number;
  readonly nodeId: number | null;
  readonly node: string | null;
  readonly mac: string | null;
  readonly systemUuid: string | null;
  readonly firmware: string;
  readonly intentId: number | null;
  readonly bootenv: string | null;
  readonly startedAt: Date;
  readonly scriptAt: Date | null;
  readonly helloAt: Date | null;
  readonly outcome: BootEnd | null;
  readonly lastAt: Date | null;
  readonly lastText: string | null;
  readonly events: number;
  readonly refused: number;
}

export interface TimelineEvent {
  readonly at: Date;
  readonly seconds: number;
  readonly kind: BootEventKind;
  readonly text: string;
  readonly detail: JsonObject;
}

export interface BootFilter {
  readonly node?: string | undefined;
  readonly mac?: string | undefined;
  readonly strangers?: boolean | undefined;
}

const page = (db: Db, where: readonly RawBuilder<unknown>[], wish: PageWish) =>
  listById<BootView>(db, {
    name: 'boot',
    columns: sql`b.id, n.id as "nodeId", n.name as node, b.mac, b.system_uuid as "systemUuid", b.firmware,
      b.intent_id as "intentId", i.bootenv, b.started_at as "startedAt", b.script_at as "scriptAt", b.hello_at as "helloAt",
      b.outcome,
      l.at as "lastAt", l.text as "lastText", c.events, c.refused`,
    from: sql`boot_attempt b left join node n on n.id = b.node_id left join boot_intent i on i.id = b.intent_id
      left join lateral (select at, text from boot_event e where e.attempt_id = b.id order by e.id desc limit 1) l on true
      cross join lateral (select count(*)::int as events, (count(*) filter (where e.kind = 'refused'))::int as refused
        from boot_event e where e.attempt_id = b.id) c`,
    id: sql`b.id`,
    where,
    wish,
  });

export const listBoots = async (
  db: Db,
  options: PageWish & { readonly filter: BootFilter },
): Promise<Page<BootView>> => {
  const { node, mac, strangers } = options.filter;
  return page(
    db,
    [
      ...(node === undefined ? [] : [sql`b.node_id = ${(await needNode(db, node)).id}`]),
      ...(mac === undefined ? [] : [sql`b.mac = ${mac.toLowerCase()}`]),
      ...(strangers === true ? [sql`b.node_id is null`] : []),
    ],
    options,
  );
};

export const needBoot = async (db: Db, id: number): Promise<BootView> => {
  const { items } = await page(db, [sql`b.id = ${id}`], { limit: 1 });
  const [boot] = items;
  if (boot === undefined)
    throw new HostwrightError('not_found', { message: `there is no boot ${id}` });
  return boot;
};

export const readBootTimeline = async (
  db: Db,
  bootId: number,
): Promise<readonly TimelineEvent[]> => {
  const { rows } = await sql<TimelineEvent>`
    select at, extract(epoch from at - min(at) over ())::float8 as seconds, kind, text, detail
    from boot_event where attempt_id = ${bootId} order by id`.execute(db);
  return rows;
};

/** What it was told to boot, as people say it. */
export const whatBooted = (boot: Pick<BootView, 'bootenv' | 'scriptAt'>): string =>
  boot.bootenv ?? (boot.scriptAt === null ? 'nothing yet' : 'its own disk');

/** As a text file a person can send to somebody. */
export const writeBootTimeline = (
  events: readonly Pick<TimelineEvent, 'at' | 'kind' | 'text'>[],
): string => {
  const start = events[0]?.at.getTime() ?? 0;
  return events
    .map(
      ({ at, kind, text }) =>
        `${at.toISOString()} +${((at.getTime() - start) / 1000).toFixed(1).padStart(6)} s  ${kind.padEnd(8)} ${text}\n`,
    )
    .join('');
};
