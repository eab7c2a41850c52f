/** Whoever asks the boot endpoint gets a join token: it must not make him a node that is not his. */
import {
  adoptDeletedNode,
  createToken,
  deleteNode,
  joinNewNodes,
  joinNode,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BootDeps } from '../src/index.ts';
import { addNode, askBoot, bootDeps, mac, seedPath } from './fixtures.ts';
import { openInstallWorld } from './install-world.ts';

let database: TestDatabase;
let deps: BootDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = bootDeps(database);
});
afterAll(async () => database.close());

const get = async (url: string): Promise<string> => (await askBoot(deps, { url })).text;
/** As an attacker would: whatever MAC he likes. */
const tokenFor = async (address: string): Promise<string> => {
  const script = await get(`/boot/v1/ipxe?mac=${address}`);
  const seed = await get(seedPath(script));
  return /join=(hwj_\S+)/.exec(seed)?.[1] ?? 'no token';
};
/** As an operator's token made it a node; now it is switched off. */
const addInstalled = async (number: number, bootenv: string) => {
  const uuid = randomUUID();
  const id = await addNode(database, { name: `node${number}`, macs: [mac(number)], uuid, bootenv });
  const { secret } = await createToken(database.db, { kind: 'join', name: 'x', userId: null });
  expect(await join(secret, { systemUuid: uuid, macs: [mac(number)] })).toMatchObject({ ok: true });
  return { id, uuid };
};
const join = (token: string, machine: { systemUuid?: string; macs: string[] }) =>
  joinNode(database.db, { token, machine, mayBe: async () => true });

test('the token of a stranger does not make anybody an installed node that is switched off', async () => {
  const { uuid } = await addInstalled(1, 'local');
  const token = await tokenFor(mac(101));
  expect(token).toMatch(/^hwj_/);
  expect(await join(token, { systemUuid: uuid, macs: [mac(101)] })).toMatchObject({
    ok: false,
    refusals: [{ code: 'conflict', message: expect.stringContaining('not one of node node1') }],
  });
  // it is good for what it was given for
  expect(await join(token, { macs: [mac(101)] })).toMatchObject({ ok: true, how: 'created' });
});

test('the token of a node is for that node, not for another and not for a new one', async () => {
  const one = await addInstalled(2, 'discovery');
  const other = await addInstalled(3, 'discovery');
  const token = await tokenFor(mac(2));
  for (const machine of [{ systemUuid: other.uuid, macs: [mac(3)] }, { macs: [mac(103)] }]) {
    expect(await joinNewNodes(database.db, [{ token, machine }])).toEqual([undefined]);
    expect(await join(token, machine)).toMatchObject({ ok: false, reason: 'refused' });
  }
  expect(await join(token, { systemUuid: one.uuid, macs: [mac(2)] })).toMatchObject({
    ok: true,
    nodeId: one.id,
    how: 'known',
  });
});

test('a node that somebody entered beforehand is joined by its machine, which the endpoint did not know', async () => {
  const uuid = randomUUID();
  const id = await addNode(database, { name: 'expected', uuid });
  const token = await tokenFor(mac(104));
  expect(await join(token, { systemUuid: uuid, macs: [mac(104)] })).toMatchObject({
    ok: true,
    nodeId: id,
  });
});

test('the machine of a deleted node joins with its token of a stranger once somebody adopts it', async () => {
  const { id, uuid } = await addInstalled(5, 'local');
  await deleteNode(database.db, { node: 'node5', actor: 'test' });
  const token = await tokenFor(mac(5));
  const machine = { systemUuid: uuid, macs: [mac(5)] };
  expect(await join(token, machine)).toMatchObject({ refusals: [{ code: 'offered' }] });
  await adoptDeletedNode(database.db, { node: id, actor: 'test' });
  expect(await join(token, machine)).toMatchObject({ ok: true, nodeId: id });
});

test('of two who took the seed of one installation only the later can go on with it', async () => {
  const world = await openInstallWorld();
  try {
    const machine = await world.setUp();
    await machine.step();
    const first = await world.boot(machine);
    const taken = await world.ask(`/boot/v1/install/${first}/firstboot`);
    const second = await world.boot(machine);
    for (const call of ['firstboot', 'plan', 'finished?x'])
      expect((await world.ask(`/boot/v1/install/${first}/${call}`)).status).toBe(409);
    const value = (name: string) => new RegExp(`^${name}=(\\S+)$`, 'm').exec(taken.text)?.[1] ?? '';
    expect((await world.up(value('up'))).status).toBe(409);
    expect(
      await joinNode(world.database.db, {
        token: value('join'),
        machine: { macs: [mac(1)] },
        mayBe: async () => true,
      }),
    ).toEqual({ ok: false, reason: 'token' });
    expect((await world.wipe(second, machine)).text).toBe('granted\n');
  } finally {
    await world.close();
  }
});
