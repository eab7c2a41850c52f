/** Why a noderole or a node is not done: reads the facts, core decides. */
import {
  decideWhyNode,
  decideWhyNoderole,
  HostwrightError,
  type Why,
  type WhyAnnealer,
  type WhyNode,
  type WhyNoderole,
  type WhyRelease,
} from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { needNode } from '../node/find.ts';
import { readAnnealerFacts, readFacts, rescueObject, type Facts } from './read-facts.ts';
import { findRoot } from './find-root.ts';

/** Why each of these is not done, by id. */
export const explainNoderoles = async (
  db: Db | Tx,
  noderoleIds: readonly number[],
): Promise<Map<number, Why>> => {
  const annealer = await readAnnealerFacts(db);
  const found = await readFacts(db, { noderoleIds, annealer });
  const whys = new Map<number, Why>();
  for (const [id, facts] of found)
    whys.set(id, decideWhyNoderole(await withRoot(db, facts, annealer)));
  return whys;
};

const withRoot = async (db: Db | Tx, facts: Facts, annealer: WhyAnnealer): Promise<WhyNoderole> => {
  const rootId = await findRoot(db, facts);
  if (rootId === undefined) return facts;
  const root = (await readFacts(db, { noderoleIds: [rootId], annealer })).get(rootId);
  return { ...facts, root: root ?? null };
};

export const explainNoderole = async (db: Db | Tx, noderoleId: number): Promise<Why> => {
  const why = (await explainNoderoles(db, [noderoleId])).get(noderoleId);
  if (why === undefined)
    throw new HostwrightError('not_found', { message: `there is no noderole ${noderoleId}` });
  return why;
};

const readRelease = async (db: Db | Tx, nodeId: number): Promise<WhyRelease | null> => {
  const { rows } = await sql<WhyRelease>`
    select e.asked_by as actor, e.serials as disks, e.how, e.waits_for as "waitsFor", e.failed from node_release e where e.node_id = ${nodeId}`.execute(
    db,
  );
  return rows[0] ?? null;
};

/** How many of a node's noderoles are looked at closely: the worst come first. */
const CLOSELY = 5;

export const explainNode = async (db: Db | Tx, nameOrId: string | number): Promise<Why> => {
  const node = await needNode(db, nameOrId);
  const annealer = await readAnnealerFacts(db);
  const { rows } = await sql<{ id: number }>`
    select nr.id from noderole nr
    where nr.node_id = ${node.id} and (nr.state <> 'active' or nr.drifted or nr.degraded_by is not null or nr.removing)
    order by array_position(array['error', 'transition', 'todo', 'blocked', 'active', 'proposed'], nr.state), nr.cohort, nr.state_since
    limit ${CLOSELY}`.execute(db);
  const { rows: counts } = await sql<{
    count: number;
    given: number;
    hammers: string[];
    hold: string | null;
    rescue: WhyNode['rescue'];
  }>`
    select count(nr.id)::int as count, count(nr.id) filter (where not d.system)::int as given,
      array(select kind from hammer where node_id = ${node.id}) as hammers,
      (select alive_hold from node where id = ${node.id}) as hold,
      ${rescueObject(sql`${node.id}::bigint`)} as rescue
    from noderole nr join deployment d on d.id = nr.deployment_id where nr.node_id = ${node.id}`.execute(
    db,
  );
  const found = await readFacts(db, { noderoleIds: rows.map((row) => row.id), annealer });
  const noderoles = await Promise.all(
    [...found.values()].map((facts) => withRoot(db, facts, annealer)),
  );
  const about: WhyNode = {
    id: node.id,
    name: node.name,
    alive: node.alive,
    aliveReason: node.aliveReason,
    aliveHold: counts[0]?.hold ?? null,
    available: node.available,
    everSeen: node.bootEpoch > 0,
    hammers: counts[0]?.hammers ?? [],
    rescue: counts[0]?.rescue ?? null,
  };
  return decideWhyNode({
    node: about,
    noderoles,
    count: counts[0]?.count ?? 0,
    // The admin node has its work from Hostwright itself.
    given: node.admin ? (counts[0]?.count ?? 0) : (counts[0]?.given ?? 0),
    release: await readRelease(db, node.id),
  });
};
