/**
 * An image deployed by Hostwright against the same tar piped by hand onto the same disk of the same
 * machine: partition, file system, curl, gzip, tar, sync; from the leave to erase until the image is on
 * the disk and its checksum was right. When the installer had its last word - host name, user, keys,
 * agent and boot loader in place, of which the other side has none - is shown beside it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerFile } from '@hostwright/boot';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  importBarclamp,
  masterKey,
  planSnapshot,
  proposeSnapshot,
  registerJigs,
  SILENT,
  startWorker,
  type Database,
} from '@hostwright/engine';
import { createRoleProvidedJig, createScriptJig, noopJig } from '@hostwright/jigs';
import { missingForRack } from '@hostwright/providers';
import { bootTransitions, buildMini, startLab } from '@hostwright/server';
import type { Bar, BenchContext } from '../context.ts';
import { HAND_START, openFiles, openHandMadeRack, until, untilDiscovered } from '../lab.ts';

const IMAGE = 'images/default.tar.gz';
const MACHINE = { memory: 1024, cpus: 2, disks: [4] } as const;

const INIT = `${HAND_START}
begun=$(cut -d' ' -f1 /proc/uptime)
dd if=/dev/zero of=/dev/vda bs=1M count=4 conv=notrunc 2>/dev/null
printf 'label: dos\\nstart=2048, type=83, bootable\\n' | /usr/sbin/sfdisk -q --wipe always /dev/vda
while [ ! -b /dev/vda1 ]; do usleep 100000; done
/usr/sbin/mke2fs -q -F -t ext4 -E lazy_itable_init=1,nodiscard /dev/vda1
/usr/sbin/modprobe -a crc32c_intel crc32c_generic ext4
mount -t ext4 /dev/vda1 /mnt
curl -q -fsS http://192.168.77.1:8080/${IMAGE} | gzip -dc | tar -x -C /mnt
umount /mnt
sync
curl -q -fsS --data-binary "$begun $(cut -d' ' -f1 /proc/uptime)" http://192.168.77.1:8080/done
sleep 100000
`;

/** The small system and the drivers of a kernel: some hundred megabytes of real files. */
const buildImage = async (files: string): Promise<void> => {
  const file = join(files, IMAGE);
  await buildMini(file);
  execFileSync('sh', [
    '-ec',
    'gzip -dc "$1" >"$1.tar"; tar -C / -rf "$1.tar" --transform "s,^,payload/," lib/modules; gzip -1 -n <"$1.tar" >"$1"; rm "$1.tar"',
    'sh',
    file,
  ]);
};

const deployByHand = async (home: string, files: string): Promise<number> => {
  const rack = await openHandMadeRack({ home, files, init: INIT });
  try {
    const machine = await rack.machine({ name: 'hand', number: 10, ...MACHINE });
    await machine.start();
    const [begun = 0, ended = 0] = (await rack.nextReport()).split(' ').map(Number);
    return ended - begun;
  } finally {
    await rack.close();
  }
};

const commitInstall = async (database: Database, node: string): Promise<void> => {
  const { db } = database;
  const actor = 'bench';
  const deployment = await createDeployment(db, { name: 'bench', actor });
  const snapshot = await proposeSnapshot(db, { deploymentId: deployment.id, actor });
  const data = { os_install: { os: 'image' } };
  const bindings = [{ role: 'provisioner-os-install', node, data }];
  const bound = await bindRoles(db, { snapshotId: snapshot.id, bindings, actor });
  if (bound.refusals.length > 0) throw new Error(JSON.stringify(bound.refusals));
  const plan = await planSnapshot(db, snapshot.id);
  const consent = plan.destructive.map((one) => ({
    role: one.role,
    node: one.node,
    disks: one.disks.map((disk) => disk.name),
  }));
  await commitSnapshot(db, { snapshotId: snapshot.id, planHash: plan.hash, actor, consent });
};

interface Deployed {
  readonly written: number;
  readonly whole: number;
}

const deployByUs = async (
  context: BenchContext,
  home: string,
  files: string,
): Promise<Deployed> => {
  const database = await context.freshDatabase();
  const { db } = database;
  const master = masterKey(Buffer.alloc(32, 7));
  const folder = join(home, 'lab');
  mkdirSync(folder);
  const transitions = bootTransitions({ database, master, folder });
  const jigs = [
    noopJig,
    createScriptJig({ database, master, log: SILENT }),
    createRoleProvidedJig({ find: async (_, role) => transitions[role] }),
  ];
  await registerJigs(db, jigs);
  for (const name of ['core', 'network', 'provisioner'])
    await importBarclamp(db, {
      folder: new URL(`../../barclamps/${name}`, import.meta.url).pathname,
      actor: 'bench',
    });
  await registerFile(db, { folder: files, path: IMAGE });
  const lab = await startLab({ database, home: folder, files, master });
  const worker = await startWorker({ database, log: SILENT, jigs, master, name: 'bench' });
  const feeding = setInterval(() => void lab.feed().catch(() => undefined), 500);
  try {
    const machine = await lab.machine({ name: 'ours', number: 20, ...MACHINE });
    await machine.start();
    const node = await untilDiscovered(db, machine.uuid);
    await commitInstall(database, node.name);
    const row = await until(async () => {
      const found = await db
        .selectFrom('os_install')
        .select(['phase', 'error', 'wipe_granted_at', 'phase_since'])
        .where('node_id', '=', node.id)
        .executeTakeFirst();
      if (found?.phase === 'failed') throw new Error(found.error ?? 'the installation failed');
      return found?.phase === 'restart' || found?.phase === 'done' ? found : undefined;
    });
    const from = row.wipe_granted_at;
    if (from === null) throw new Error('no leave to erase was given');
    const { at } = await db
      .selectFrom('boot_event')
      .innerJoin('boot_attempt', 'boot_attempt.id', 'boot_event.attempt_id')
      .select('boot_event.at')
      .where('boot_attempt.node_id', '=', node.id)
      .where('boot_event.text', '=', 'configuring')
      .executeTakeFirstOrThrow();
    const since = (time: Date) => (new Date(time).getTime() - new Date(from).getTime()) / 1000;
    return { written: since(at), whole: since(row.phase_since) };
  } finally {
    clearInterval(feeding);
    await worker.stop();
    await lab.close();
    await database.close();
  }
};

export const bar: Bar = {
  id: 'image',
  title: 'image deploy <= 1.2 x piping the same tar by hand in the same VM',
  quick: false,
  run: async (context) => {
    const missing = missingForRack();
    if (missing.length > 0) throw new Error(`a rack needs ${missing.join(', ')}`);
    const home = mkdtempSync(join(tmpdir(), 'hostwright-bench-image-'));
    try {
      const files = await openFiles(home);
      await buildImage(files);
      // before and after: the computer's speed wavers
      const before = await deployByHand(join(home, 'before'), files);
      const ours = await deployByUs(context, home, files);
      const after = await deployByHand(join(home, 'after'), files);
      const hand = (before + after) / 2;
      const ratio = ours.written / hand;
      return {
        held: ratio <= 1.2,
        summary: `${ours.written.toFixed(1)} s, by hand ${before.toFixed(1)} and ${after.toFixed(1)} s: ${ratio.toFixed(2)} x; configured and bootable after ${ours.whole.toFixed(1)} s`,
        figures: {
          oursSeconds: ours.written,
          handBeforeSeconds: before,
          handAfterSeconds: after,
          ratio,
          configuredSeconds: ours.whole,
        },
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
