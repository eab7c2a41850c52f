/** A release that erases, while roles have to be torn down first: one request, carried through or ended cleanly. */
import { proposeSnapshot } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DISKS, useReleases } from './release-world.ts';

const site = useReleases();
const { carry, endTeardown, erasures, noderole, post, release, why } = site;

test('one request tears down, then erases what was named, once, whoever looks after it and after which crash', async () => {
  await release('m1');
  await carry();
  expect(await erasures('m1')).toEqual([]);
  expect((await why('m1')).sentence).toMatch(
    /watched.*; its disks S1, S2 are erased once its teardowns have ended, as operator asked$/,
  );
  await endTeardown('m1', { kind: 'succeeded' });
  // as one leaves it that was killed between proposing and committing
  const { json: deployment } = await post('/deployments', { name: 'released' });
  await proposeSnapshot(site.world.database.db, {
    deploymentId: deployment.id,
    actor: 'the boot keeper',
  });
  await Promise.all([carry(), carry()]);
  await carry();
  expect(await erasures('m1')).toEqual([{ disks: ['S1', 'S2'], granted_by: 'operator' }]);
  expect(await site.world.database.db.selectFrom('node_release').selectAll().execute()).toEqual([]);
  await eventually(async () => site.restarts() === 1);
  expect(
    await site.world.database.db.selectFrom('os_install').select('phase').execute(),
  ).toHaveLength(1);
});

test('a teardown that fails cancels the erasure, and its late success brings nothing back', async () => {
  await release('m2');
  await endTeardown('m2', {
    kind: 'failed',
    reason: 'the monitoring is away',
    retryable: false,
    blame: 'node',
  });
  await carry();
  expect((await why('m2')).sentence).toMatch(
    /the monitoring is away.*; its disks S1, S2 were not erased: the teardown of watched failed: the monitoring is away; nothing was erased$/,
  );
  const { rows: events } = await sql`
    select payload->>'state' as state from event where kind = 'node.erasure' and node_id = (select id from node where name = 'm2') order by id`.execute(
    site.world.database.db,
  );
  expect(events).toEqual([{ state: 'waiting' }, { state: 'ended' }]);
  site.forgetTeardown('m2');
  const { id } = await noderole('m2', 'watched');
  await post(`/noderoles/${id}/retry`);
  await endTeardown('m2', { kind: 'succeeded' });
  await carry();
  expect(await erasures('m2')).toEqual([]);
  expect(await why('m2')).toMatchObject({
    sentence: expect.stringMatching(/^m2 is released; its disks S1, S2 were not erased/),
    command: 'hostwright node release m2 --erase S1 --erase S2',
  });
  await sql`update node_release set how = 'full'`.execute(site.world.database.db);
  expect((await why('m2')).command).toMatch(/ --erase S2 --full$/);
});

test.each([
  ['m3', 'is gone', [DISKS[0]], 'S2 is gone'],
  [
    'm4',
    'was put in',
    [...DISKS, { ...DISKS[0], name: 'sdc', serial: 'S3' }],
    'sdc (S3) was not named',
  ],
  [
    'm5',
    'was exchanged',
    [DISKS[0], { ...DISKS[1], size_bytes: 1e12 }],
    'sdb (S2) has another size',
  ],
])(
  '%s: a disk %s since it was named: nothing is erased, and why says so',
  async (node, _how, disks, said) => {
    await release(node);
    await site.world.database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify({ disks }) })
      .where('name', '=', node)
      .execute();
    await endTeardown(node, { kind: 'succeeded' });
    await carry();
    expect((await why(node)).sentence).toContain(
      `its disks are not those that were named: ${said}; nothing was erased`,
    );
    expect(await erasures(node)).toEqual([]);
  },
);
