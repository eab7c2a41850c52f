import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@hostwright/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  ipmiHammer,
  redfishHammer,
  restartIntoNetwork,
  startBmc,
  startRedfishEmulator,
  type Hammer,
  type LabBmc,
  type LabMachine,
  type RedfishEmulator,
} from '../src/index.ts';

/** As a machine of the rack, without a machine in it. */
const fakeMachine = (): LabMachine => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-bmc-'));
  const startScript = join(folder, 'start.sh');
  writeFileSync(startScript, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  return {
    name: 'fake',
    macs: [],
    uuid: '',
    serial: '',
    folder,
    disks: [],
    startScripts: { usual: startScript, network: startScript, disk: startScript },
    start: async () => {},
    cut: async () => {},
    isOn: () => false,
    console: () => '',
  };
};

const PRESENT = ['/usr/bin/ipmi_sim', '/usr/bin/ipmitool'].every((path) => existsSync(path));

describe.skipIf(!PRESENT)('IPMI', () => {
  let machine: LabMachine;
  let bmc: LabBmc;
  let hammer: Hammer;
  beforeAll(async () => {
    machine = fakeMachine();
    bmc = await startBmc(machine);
    hammer = ipmiHammer({
      host: '127.0.0.1',
      port: bmc.port,
      username: bmc.username,
      password: bmc.password,
      cipherSuite: 3,
    });
    await eventually(() => hammer.power?.status(), { what: 'the BMC' });
  });
  afterAll(async () => {
    await hammer.power?.off();
    await bmc.stop();
    rmSync(machine.folder, { recursive: true, force: true });
  });

  test('power is what it is seen to be after each command', async () => {
    expect(await hammer.power?.status()).toBe('off');
    await hammer.power?.on();
    expect(await hammer.power?.status()).toBe('on');
    await hammer.power?.reset();
    expect(await hammer.power?.status()).toBe('on');
    await hammer.power?.off();
    expect(await hammer.power?.status()).toBe('off');
  });

  test('the one-time boot device reaches the BMC', async () => {
    await hammer.bootDevice?.setOnce('network');
    expect(readFileSync(join(machine.folder, 'boot'), 'utf8').trim()).toBe('pxe');
  });

  test('the password is in no process list', async () => {
    const seen: string[] = [];
    const watching = setInterval(() => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          seen.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
        } catch {
          // it has ended
        }
      }
    }, 5);
    await hammer.power?.status();
    clearInterval(watching);
    expect(seen.some((line) => line.includes('ipmitool'))).toBe(true);
    expect(seen.filter((line) => line.includes(bmc.password))).toEqual([]);
  });

  test('a wrong password and a BMC that is not there are errors that hold no secret', async () => {
    const wrong = ipmiHammer({
      host: '127.0.0.1',
      port: bmc.port,
      username: 'admin',
      password: 'not-the-password',
      cipherSuite: 3,
      timeoutSeconds: 8,
    });
    await expect(wrong.power?.status()).rejects.toThrow(/^(?!.*not-the-password)/);
    const nobody = ipmiHammer({
      host: '127.0.0.1',
      port: 1,
      username: 'admin',
      password: 'x',
      timeoutSeconds: 1,
    });
    await expect(nobody.power?.status()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(() => ipmiHammer({ host: '-H evil; reboot', username: 'a', password: 'b' })).toThrow(
      /no host/,
    );
  });
});

describe('Redfish', () => {
  let on = false;
  let emulator: RedfishEmulator;
  let hammer: Hammer;
  const account = { username: 'admin', password: 'lab-secret' };
  beforeAll(async () => {
    emulator = await startRedfishEmulator(
      { isOn: () => on, start: async () => void (on = true), cut: async () => void (on = false) },
      account,
    );
    hammer = redfishHammer({
      endpoint: emulator.url,
      ...account,
      timeoutSeconds: 1,
      settleSeconds: 1,
    });
  });
  afterEach(() => emulator.misbehave('none'));
  afterAll(async () => emulator.close());

  test('power, boot device and virtual media work', async () => {
    expect(await hammer.power?.status()).toBe('off');
    await hammer.power?.on();
    expect(on).toBe(true);
    await hammer.bootDevice?.setOnce('network');
    expect(emulator.bootOnce()).toBe('Pxe');
    await hammer.power?.reset();
    expect(emulator.bootOnce()).toBe('None');
    await hammer.virtualMedia?.insert('http://10.0.0.1/x.iso');
    await hammer.virtualMedia?.eject();
    await hammer.power?.off();
    expect(on).toBe(false);
  });

  test('a BMC that hangs, refuses or lies is found out', async () => {
    emulator.misbehave('hang');
    await expect(hammer.power?.status()).rejects.toMatchObject({ kind: 'unreachable' });
    emulator.misbehave('refuse');
    await expect(hammer.power?.reset()).rejects.toMatchObject({ kind: 'refused' });
    emulator.misbehave('lie');
    await expect(hammer.bootDevice?.setOnce('network')).rejects.toMatchObject({ kind: 'lied' });
    on = true;
    await expect(hammer.power?.reset()).rejects.toMatchObject({ kind: 'lied' });
    on = false;
    await expect(hammer.power?.reset()).rejects.toMatchObject({ kind: 'lied' });
    const wrong = redfishHammer({ endpoint: emulator.url, username: 'admin', password: 'nope' });
    await expect(wrong.power?.status()).rejects.toThrow(/401/);
  });

  test('B2: a restart that no hammer can confirm is a refusal with every reason', async () => {
    emulator.misbehave('refuse');
    const result = await restartIntoNetwork([hammer, { kind: 'none' }]);
    expect(result).toMatchObject({ ok: false });
    expect(result.ok ? [] : result.reasons).toHaveLength(2);
    expect(await restartIntoNetwork([])).toMatchObject({ ok: false });
    emulator.misbehave('none');
    expect(await restartIntoNetwork([hammer])).toMatchObject({ ok: true, how: 'power by redfish' });
  });
});
