/**
 * A commit of 100,000 noderoles, plan and all, against COPYing the rows it writes - noderoles, the list
 * of those not at rest, edges, events - into tables with the same indexes and no triggers.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  proposeSnapshot,
  type Database,
} from '@hostwright/engine';
import { sql } from 'kysely';
import copyStreams from 'pg-copy-streams';
import type { Bar } from '../context.ts';
import { seedNodes, seedRoleChain } from '../fleet.ts';

const TABLES = ['noderole', 'unsettled', 'edge', 'event'] as const;

const copyAgain = async (database: Database): Promise<number> => {
  const client = await database.pool.connect();
  try {
    const contents: { readonly table: string; readonly text: string }[] = [];
    for (const table of TABLES) {
      await client.query(`create table copy_of_${table} (like ${table} including all)`);
      const chunks: Buffer[] = [];
      for await (const chunk of client.query(copyStreams.to(`copy ${table} to stdout`)))
        chunks.push(Buffer.from(chunk as Uint8Array));
      contents.push({ table, text: Buffer.concat(chunks).toString() });
    }
    await client.query('checkpoint');
    const started = performance.now();
    await client.query('begin');
    for (const { table, text } of contents)
      await pipeline(
        Readable.from([text]),
        client.query(copyStreams.from(`copy copy_of_${table} from stdin`)),
      );
    await client.query('commit');
    return (performance.now() - started) / 1000;
  } finally {
    client.release();
  }
};

export const bar: Bar = {
  id: 'commit',
  title: 'commit of 100,000 noderoles <= 5 x COPYing the same rows',
  quick: true,
  run: async (context) => {
    const database = await context.freshDatabase();
    const { db } = database;
    const roles = await seedRoleChain(db, 20);
    await seedNodes(db, 5000);
    const { rows: nodes } = await sql<{ id: number }>`select id from node order by id`.execute(db);
    const deployment = await createDeployment(db, { name: 'bench', actor: 'bench' });
    const proposal = await proposeSnapshot(db, { deploymentId: deployment.id, actor: 'bench' });
    const bindings = nodes.flatMap((node) => roles.map((role) => ({ role, node: node.id })));
    const answer = await bindRoles(db, { snapshotId: proposal.id, bindings, actor: 'bench' });
    if (answer.refusals.length > 0) throw new Error(answer.refusals[0]?.message);
    await sql`analyze`.execute(db);
    await sql`checkpoint`.execute(db);
    const started = performance.now();
    await commitSnapshot(db, { snapshotId: proposal.id, actor: 'bench' });
    const seconds = (performance.now() - started) / 1000;
    const { rows } = await sql<{ n: number }>`select count(*) as n from noderole`.execute(db);
    const copy = await copyAgain(database);
    await database.close();
    const ratio = seconds / copy;
    return {
      held: ratio <= 5 && rows[0]?.n === 100_000,
      summary: `${seconds.toFixed(1)} s for ${rows[0]?.n}, COPY ${copy.toFixed(1)} s: ${ratio.toFixed(1)} x`,
      figures: { commitSeconds: seconds, copySeconds: copy, ratio },
    };
  },
};
