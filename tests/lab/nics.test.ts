/** The script of the role network-interfaces in a kernel that knows bonds and VLANs, on cards with cables. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { LONG, longLab } from './look.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const QEMU =
  '-n 10 qemu-system-x86_64 -M pc -accel tcg,thread=multi -cpu max -m 384 -nodefaults -display none -serial stdio -no-reboot';

/** Two cables, each with a card of the machine at one end and one of the switch at the other. */
const cables = (): string[] =>
  [1, 2].flatMap((cable) =>
    [`0${cable}`, `1${cable}`].flatMap((end) => [
      '-netdev',
      `hubport,id=n${end},hubid=${cable}`,
      '-device',
      `e1000,netdev=n${end},mac=52:54:00:66:00:${end},romfile=`,
    ]),
  );

describe.skipIf(!longLab())('bonds and VLANs', () => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-nics-'));
  afterAll(() => rmSync(home, { recursive: true }));

  test(
    'a bond with LACP carries networks of its own and on VLANs; each change leaves nothing behind',
    LONG,
    async () => {
      const files = join(home, 'files');
      mkdirSync(files);
      cpSync(at('nics/case.sh'), join(files, 'case'));
      cpSync(at('../../packages/jigs/src/script/lib.sh'), join(files, 'lib.sh'));
      cpSync(
        at('../../barclamps/network/scripts/network-interfaces/10-configure'),
        join(files, 'configure'),
      );
      const initrd = join(home, 'initrd');
      const kernel = execFileSync(at('nics/build.sh'), [files, initrd], {
        encoding: 'utf8',
      }).trim();
      const { stdout } = await promisify(execFile)(
        'nice',
        [
          ...QEMU.split(' '),
          '-kernel',
          kernel,
          '-initrd',
          initrd,
          '-append',
          'console=ttyS0 quiet panic=-1',
          ...cables(),
        ],
        { timeout: 900_000 },
      );
      const said = stdout.replaceAll('\r', '').split('\n');
      expect(
        said.filter((line) => line.startsWith('= ')).map((line) => line.slice(2).trim()),
      ).toEqual([
        'devices BOND one two vl9',
        'mode 802.3ad 4',
        'vlan yes',
        'untagged yes',
        // VLAN, bond and both cards
        'mtu 9000 9000 9000 9000',
        'large yes',
        // the switch agreed to both
        'ports 2',
        'primary 00:02 default via 10.40.0.1 dev BOND metric 100',
        'again same',
        'one card yes',
        'devices BOND br32 one two vl11 vl9',
        'changed vlan yes',
        'bridge yes',
        'devices BOND one two',
        'mode active-backup 1',
        'devices one two',
        'cards 00:01 00:02',
      ]);
    },
  );
});
