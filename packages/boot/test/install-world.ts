/**
 * Machines that are being installed, without machines: each has a run that waits for its
 * installation, and what its firmware, its installer and its new system would ask of the boot
 * endpoint is asked here.
 */
import { randomUUID } from 'node:crypto';
import { type JsonObject } from '@hostwright/core';
import { type Outcome, type RunHandle } from '@hostwright/engine';
import { createTestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { importOsTemplates, osInstallTransition, type Restart } from '../src/index.ts';
import { addNode, askBoot, bootDeps, mac, seedPath } from './fixtures.ts';

export const openInstallWorld = async () => {
  const database = await createTestDatabase();
  const deps = bootDeps(database);
  await importOsTemplates(database.db);
  await database.db
    .insertInto('boot_file')
    .values({ path: 'images/default.tar.gz', sha256: 'a'.repeat(64), size: 1 })
    .execute();
  await sql`insert into jig (name) values ('role-provided')`.execute(database.db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('t', '1', '/none', 'x')`.execute(
    database.db,
  );
  await sql`insert into role (barclamp_id, name, jig, destructive) select id, 'provisioner-os-install', 'role-provided', true from barclamp`.execute(
    database.db,
  );
  let number = 0;

  const ask = (url: string, method = 'GET', body = '') => askBoot(deps, { url, method, body });
  const setUp = async (
    restart: () => Promise<Restart> = async () => ({ ok: true, how: 'test', notes: [] }),
    data: JsonObject = { os: 'image' },
  ) => {
    const id = ++number;
    const nodeId = await addNode(database, {
      name: `n${id}`,
      macs: [mac(id)],
      bootenv: 'discovery',
      alive: true,
    });
    const facts = {
      disks: [
        { name: 'vda', serial: `S${id}`, size_bytes: 8e9, rotational: false, removable: false },
      ],
    };
    await database.db
      .updateTable('node')
      .set({ discovery: JSON.stringify(facts), boot_id: randomUUID(), boot_epoch: 1 })
      .where('id', '=', nodeId)
      .execute();
    const noderoles = await sql<{ id: number }>`
      insert into noderole (deployment_id, role_id, node_id, lane, state)
      select d.id, r.id, ${nodeId}, 'host', 'active' from deployment d, role r where d.system and r.name = 'provisioner-os-install' returning id`.execute(
      database.db,
    );
    const noderoleId = noderoles.rows[0]?.id ?? 0;
    let restarts = 0;
    const transition = osInstallTransition({
      database,
      restart: async () => {
        restarts++;
        return restart();
      },
    });
    /** One run of its installation, with a consent of its own. */
    const begin = async () => {
      const made = await sql<{ id: number; token: number }>`
        insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, waiting_for, deadline_at, expects_reboot)
        select w.id, ${nodeId}, w.role_id, w.deployment_id, 'host', 'role-provided', 'waiting', 'os-install', now() + interval '1 hour', true
        from noderole w where w.id = ${noderoleId} returning id, token`.execute(database.db);
      const run = made.rows[0];
      if (run === undefined) throw new Error('no run');
      await sql`insert into consent (noderole_id, input_hash, disks, granted_by, used_by_run, used_at)
        values (${noderoleId}, 'x', ${[`S${id}`]}::text[], 'ann', ${run.id}, now())`.execute(
        database.db,
      );
      const handle: RunHandle = {
        runId: run.id,
        token: run.token,
        kind: 'run',
        lane: 'host',
        attempt: 1,
        noderoleId,
        node: { id: nodeId, name: `n${id}`, admin: false, bootId: null, bootEpoch: 1 },
        role: { id: 1, name: 'provisioner-os-install', barclamp: 'provisioner', config: {} },
        deployment: { id: 1, name: 'system' },
        attribs: { os_install: data },
        secrets: [],
        deadline: new Date(Date.now() + 3_600_000),
        signal: new AbortController().signal,
        memo: null,
        log: () => {},
        remember: async () => {},
        expectReboot: async () => {},
      };
      return {
        runId: run.id,
        step: (): Promise<Outcome> => transition(handle),
        phase: async () =>
          (await database.db
            .selectFrom('os_install')
            .select(['phase', 'error', 'boots'])
            .where('run_id', '=', run.id)
            .executeTakeFirst()) ?? { phase: 'none', error: null, boots: 0 },
        endRun: () =>
          sql`update run set status = 'cancelled', ended_at = now(), worker_id = null where id = ${run.id}`.execute(
            database.db,
          ),
      };
    };
    const first = await begin();
    return {
      ...first,
      nodeId,
      name: `n${id}`,
      serial: `S${id}`,
      restarts: () => restarts,
      /** The next run, after the first one has ended. */
      again: async () => {
        await first.endRun();
        return begin();
      },
      script: async () => (await ask(`/boot/v1/ipxe?mac=${mac(id)}`)).text,
      grub: async () => (await ask(`/boot/v1/grub/${mac(id)}/grub.cfg`)).text,
      node: () =>
        database.db
          .selectFrom('node')
          .select(['bootenv', 'alive', 'alive_hold'])
          .where('id', '=', nodeId)
          .executeTakeFirstOrThrow(),
    };
  };
  type Machine = Awaited<ReturnType<typeof setUp>>;

  /** As far as the installer in memory: its token. */
  const boot = async (machine: Machine): Promise<string> => {
    const seed = await ask(seedPath(await machine.script()));
    expect(seed.status).toBe(200);
    return /install=([A-Za-z0-9_-]{43})/.exec(seed.text)?.[1] ?? '';
  };
  const wipe = (token: string, machine: Machine) =>
    ask(`/boot/v1/install/${token}/wipe`, 'POST', `serial=${machine.serial}&bytes=8000000000`);
  /** As far as the disk that may be lost: the installer's token. */
  const writing = async (machine: Machine): Promise<string> => {
    await machine.step();
    const token = await boot(machine);
    await wipe(token, machine);
    return token;
  };
  const firstBoot = async (token: string) =>
    /up=([A-Za-z0-9_-]{43})/.exec((await ask(`/boot/v1/install/${token}/firstboot`)).text)?.[1] ??
    '';
  const up = (token: string, bootId: string = randomUUID()) =>
    ask(`/boot/v1/up/${token}`, 'POST', `boot_id=${bootId}`);

  return {
    database,
    ask,
    setUp,
    boot,
    wipe,
    writing,
    firstBoot,
    up,
    close: () => database.close(),
  };
};
