/** The boot environments rescue and memtest on machines: what an operator asks for with one boot. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openIntent, placeMemtest, registerFolder } from '@hostwright/boot';
import { putSetting, transaction } from '@hostwright/engine';
import type { LabMachine } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explained, LONG, longLab, recorded } from './look.ts';
import { createLabSite, type LabSite } from './site.ts';

describe.skipIf(!longLab())('boot environments', () => {
  let site: LabSite;
  beforeAll(async () => {
    site = await createLabSite();
  }, 600_000);
  afterAll(async () => site.close(), 300_000);

  /** A node that was known before, with one boot decided. */
  const intend = async (machine: LabMachine, bootenv: string): Promise<void> => {
    const { db } = site.database;
    const system = await db
      .selectFrom('deployment')
      .select('id')
      .where('system', '=', true)
      .executeTakeFirstOrThrow();
    const { id } = await db
      .insertInto('node')
      .values({
        name: machine.name,
        deployment_id: system.id,
        macs: [...machine.macs],
        system_uuid: machine.uuid,
        bootenv: 'local',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await transaction(db, (tx) => openIntent(tx, { nodeId: id, bootenv, seconds: 3600 }));
    await site.feed();
  };

  test(
    'rescue: the operator gets in by key, nobody by password, and no agent runs',
    LONG,
    async () => {
      const machine = await site.machine({ name: 'rescue', number: 60 });
      const key = join(site.home, 'key');
      const other = join(site.home, 'other');
      for (const file of [key, other])
        execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'anna', '-f', file]);
      const rescueKeys = [readFileSync(`${key}.pub`, 'utf8').trim()];
      await putSetting(site.database.db, { key: 'boot', value: { rescueKeys } });
      await intend(machine, 'rescue');
      await machine.start();
      const said = await explained(
        machine,
        eventually(
          async () =>
            (await recorded(site, machine, 'callback')).find((line) =>
              line.startsWith('rescue is up'),
            ),
          { limitSeconds: 600, what: 'rescue' },
        ),
      );
      const [, address = '', fingerprint = ''] = /root@(\S+), host key (\S+)/.exec(said) ?? [];
      const known = join(site.home, 'known_hosts');
      const ssh = (file: string, command: string) => {
        const [program = '', ...args] = site.rack.within;
        const options = [
          'StrictHostKeyChecking=no',
          `UserKnownHostsFile=${known}`,
          'BatchMode=yes',
        ];
        const words = ['ssh', '-i', file, ...options.flatMap((one) => ['-o', one])];
        return spawnSync(program, [...args, ...words, `root@${address}`, command], {
          encoding: 'utf8',
        });
      };
      const inside = ssh(key, 'id -u; ps; cat /proc/cmdline; ls /etc/hostwright');
      expect(inside.stdout).toMatch(/^0\n/);
      expect(inside.stdout).not.toContain('hostwright/agent');
      expect(inside.stdout).not.toMatch(/^seed$/m);
      expect(execFileSync('ssh-keygen', ['-lf', known], { encoding: 'utf8' })).toContain(
        fingerprint,
      );
      expect(ssh(other, 'id -u').status).toBe(255);
      expect((await site.nodeOf(machine))?.alive).toBe(false);
      await machine.cut();
    },
  );

  describe.skipIf(!existsSync('/boot/memtest86+x64.efi'))('memtest', () => {
    beforeAll(async () => {
      await placeMemtest(site.files);
      await registerFolder(site.database.db, { folder: site.files, name: 'memtest' });
    });

    test.each([
      { firmware: 'bios', number: 61 },
      { firmware: 'uefi', number: 62 },
    ] as const)(
      '$firmware: it tests, and says so on the serial port',
      LONG,
      async ({ firmware, number }) => {
        const machine = await site.machine({
          name: `memtest-${firmware}`,
          number,
          firmware,
          memory: 256,
        });
        await intend(machine, 'memtest');
        await machine.start();
        await explained(
          machine,
          eventually(() => /Memtest86\+ v\d[\s\S]*Status: Testing/.test(machine.console()), {
            limitSeconds: 900,
            what: 'memtest',
          }),
        );
        await machine.cut();
      },
    );
  });
});
