import { readBootTimeline, writeBootTimeline } from '@hostwright/boot';
import { missingForRack } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallSite, type InstallSite } from './install-site.ts';
import { bootsOf } from './look.ts';

const missing = missingForRack();

describe.skipIf(missing.length > 0)('installation', () => {
  let site: InstallSite;
  beforeAll(async () => {
    site = await createInstallSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  test(
    'a machine gets its system by its BMC, calls back, and a script role runs on it',
    { timeout: 1_200_000 },
    async () => {
      const machine = await site.machine({ name: 'target', number: 20, memory: 768, cpus: 2 });
      await site.bmc(machine);
      const began = performance.now();
      await site.powerOn(machine);
      const node = await eventually(
        async () => {
          const found = await site.nodeOf(machine);
          return found?.alive === true ? found : null;
        },
        { limitSeconds: 300, what: 'the node is alive' },
      );
      const row = await eventually(
        () =>
          site.database.db
            .selectFrom('node')
            .select('discovery')
            .where('id', '=', node.id)
            .where('discovered_at', 'is not', null)
            .executeTakeFirst(),
        { what: 'inventory' },
      );
      expect(JSON.stringify(row.discovery)).toContain('DSK20');
      const discovered = performance.now();
      const { noderoleId, plan } = await site.install({
        machine,
        deployment: 'shop',
        roles: ['lab-proof'],
      });
      expect(plan.destructive.map((one) => one.role)).toContain('provisioner-os-install');
      const settled = await eventually(
        async () => {
          const state = await site.state(noderoleId);
          return ['active', 'error'].includes(state.state) ? state : null;
        },
        { limitSeconds: 600, what: 'the installation' },
      ).catch(async (error: unknown) => {
        throw new Error(
          `${String(error)}\nphase ${await site.phase(machine)}\n${machine.console().slice(-1500)}`,
        );
      });
      expect(settled).toEqual({ state: 'active', reason: '' });
      const installed = performance.now();
      const proof = await eventually(
        async () => {
          const found = await site.database.db
            .selectFrom('noderole')
            .innerJoin('role', 'role.id', 'noderole.role_id')
            .select(['state', 'wall', 'reason'])
            .where('role.name', '=', 'lab-proof')
            .executeTakeFirst();
          return found !== undefined && ['active', 'error'].includes(found.state) ? found : null;
        },
        { limitSeconds: 300, what: 'the script role' },
      );
      expect(proof).toMatchObject({ state: 'active', wall: { lab: { os: 'mini' } } });
      const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
      process.stderr.write(
        `discovered ${seconds(began, discovered)} s, installed ${seconds(discovered, installed)} s, script ${seconds(installed, performance.now())} s\n`,
      );
      expect(await site.nodeOf(machine)).toMatchObject({ bootenv: 'local', alive: true });
      for (const attempt of (await bootsOf(site, node.id)).toReversed()) {
        process.stderr.write(
          `--- boot attempt ${attempt.id}\n${writeBootTimeline(await readBootTimeline(site.database.db, attempt.id))}`,
        );
      }
    },
  );
});
