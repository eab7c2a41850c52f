/** Erasures that wait, as the keeper carries them: in their turn, beside its other work, and not for ever. */
import { startBootKeeper, type BootKeeper } from '@hostwright/boot';
import { SILENT } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { useReleases } from './release-world.ts';

const site = useReleases();
const { addMachine, carry, endTeardown, erasures, holdingCommits, post, release, why } = site;

const wishOf = async (node: string) => {
  const { rows } = await sql<{ patience: number; left: number }>`
    select extract(epoch from deadline_at - asked_at)::float8 as patience, extract(epoch from deadline_at - now())::float8 as left
    from node_release where node_id = (select id from node where name = ${node})`.execute(
    site.world.database.db,
  );
  return rows[0];
};
const passDeadline = (node: string) =>
  sql`
    update node_release set deadline_at = now() - interval '1 second'
    where node_id = (select id from node where name = ${node})`.execute(site.world.database.db);

test('the keeper carries one erasure at a time and leaves none out; meanwhile installations past their deadline end', async () => {
  const { db } = site.world.database;
  const erase = { erase: { disks: ['S1', 'S2'] } };
  for (const node of ['k1', 'k2']) await addMachine(node);
  await post('/nodes/k1/release', erase);
  const phaseOfFirst = async () =>
    (await db.selectFrom('os_install').select(['run_id', 'phase']).execute())[0];
  await eventually(async () => (await phaseOfFirst()) !== undefined);
  await release('k3');
  await endTeardown('k3', { kind: 'succeeded' });
  let keeper: BootKeeper | undefined;
  onTestFinished(() => keeper?.stop());
  await holdingCommits(
    async () => {
      keeper = startBootKeeper({ database: site.world.database, log: SILENT });
    },
    async () => {
      // somebody carries k3, and has not come through
      const asked = await post('/nodes/k2/release', erase);
      expect(asked.json, asked.text).toMatchObject({ erasing: [], toErase: [{}, {}] });
      await carry();
      expect(await erasures('k2')).toEqual([]);
      await db
        .updateTable('os_install')
        .set({ phase_deadline: new Date(0) })
        .execute();
      await sql`select pg_notify('hostwright_boot', '')`.execute(db);
      await eventually(async () => (await phaseOfFirst())?.phase === 'failed');
      expect(await erasures('k3')).toEqual([]);
    },
  );
  for (const node of ['k3', 'k2'])
    await eventually(async () => (await erasures(node)).length === 1, { what: node });
});

test('what came to nothing in a day ends with what it waited for, brings nothing back, and can be read for a week', async () => {
  await release('k4');
  expect((await wishOf('k4'))?.patience).toBe(86_400);
  await passDeadline('k4');
  await carry();
  const said =
    'not erased: nothing came of it in a day: the teardown of watched; nothing was erased';
  expect((await why('k4')).sentence).toContain(said);
  await endTeardown('k4', { kind: 'succeeded' });
  await carry();
  expect(await erasures('k4')).toEqual([]);
  expect((await why('k4')).sentence).toContain(said);
  expect((await wishOf('k4'))?.left).toBeGreaterThan(6 * 86_400);
  await passDeadline('k4');
  await carry();
  expect((await why('k4')).sentence).not.toContain('erased');

  await release('k5');
  await endTeardown('k5', { kind: 'succeeded' });
  const { json: open } = await post('/deployments/released/snapshots');
  await carry();
  await passDeadline('k5');
  await carry();
  expect((await why('k5')).sentence).toContain(
    'nothing came of it in a day: the deployment released has an open proposal of operator: commit or discard it; nothing was erased',
  );
  await site.world.ask('operator', { method: 'DELETE', url: `/snapshots/${open.id}` });
  await carry();
  expect(await erasures('k5')).toEqual([]);
});
