/** A private virtual rack to try things on: real boots, real installs, nothing that reaches a real network. */
import { join } from 'node:path';
import { startBootKeeper } from '@hostwright/boot';
import { registerJigs, startWorker } from '@hostwright/engine';
import { buildDiscoveryImage, missingForRack, powerRack, startLab } from '@hostwright/server';
import { dataDir } from '../../data-dir.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import { readMasterKey } from '../../master-key.ts';
import { openMigrated } from '../../process-database.ts';
import { openLog } from '../../process-log.ts';
import { openDataDir } from '../../up/open-data-dir.ts';
import { prepare } from '../../up/prepare.ts';
import { untilStopped } from '../../up/until-stopped.ts';
import { withDatabase } from '../../with-database.ts';
import { startChores } from '../../worker-chores.ts';
import { openJigs } from '../../worker-jigs.ts';

const BARCLAMPS = ['core', 'network', 'dhcp', 'dns', 'provisioner', 'demo'];

export const run = async (call: Invocation): Promise<void> => {
  const missing = missingForRack();
  if (missing.length > 0)
    throw new Failure(
      'surroundings',
      `a rack cannot be built here; missing: ${missing.join(', ')}`,
      {
        advice: 'on Debian: apt install the packages named, as root',
      },
    );
  const home = join(dataDir(call.text('data-dir')), 'lab');
  const count = call.number('machines', { least: 1, most: 16 }) ?? 3;
  const port = call.number('port', { least: 1, most: 65_535 }) ?? 4690;
  const memory = call.number('memory', { least: 256, most: 65_536 }) ?? 768;
  openDataDir(home);
  const stopping = untilStopped();
  const log = openLog('lab');
  const files = join(home, 'boot');
  await buildDiscoveryImage(files);
  await withDatabase(
    home,
    async (url) => {
      const database = await openMigrated({
        url,
        name: 'hostwright-lab',
        maxConnections: 30,
        onIdleError: () => undefined,
      });
      const master = await readMasterKey(home);
      const ready = await prepare({ database, folder: home, master, barclamps: BARCLAMPS });
      const lab = await startLab({ database, home, files, master, loopbackPort: port });
      const carried = openJigs({ database, master, log, folder: home });
      await registerJigs(database.db, carried.jigs);
      const worker = await startWorker({ database, log, jigs: carried.jigs, master, name: 'lab' });
      const chores = await startChores({ database, log, master, jigs: carried.jigs });
      const keeper = startBootKeeper({ database, log });
      console.log(`rack of ${count} machines in namespace ${lab.rack.namespace}`);
      console.log(`console: https://127.0.0.1:${port}/signin#token=${ready.signinToken}`);
      const rack = await powerRack({
        lab,
        database,
        master,
        log,
        machines: count,
        memory,
        say: (line) => console.log(line),
      });
      await stopping.asked;
      await rack.stop();
      await keeper.stop();
      await chores.stop();
      await worker.stop();
      carried.close();
      await lab.close();
      await database.close();
    },
    { make: true },
  );
};
