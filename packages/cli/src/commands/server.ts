/** The server alone: API, console, agents. Keeps nothing of its own; any number share one PostgreSQL. */
import { join } from 'node:path';
import { listenForLoaders, listenForTftp } from '@hostwright/boot';
import { bootDeps, bootPlugin, startServer } from '@hostwright/server';
import { dataDir } from '../data-dir.ts';
import type { Invocation } from '../invocation.ts';
import { localName, readListenOptions } from '../listen-options.ts';
import { findDatabaseUrl, openMigrated } from '../process-database.ts';
import { openLog } from '../process-log.ts';
import { readMasterKey } from '../master-key.ts';
import { keepHeapSmall } from '../server-memory.ts';
import { openDataDir } from '../up/open-data-dir.ts';
import { sayReady, untilStopped } from '../up/until-stopped.ts';

export const run = async (call: Invocation): Promise<void> => {
  const folder = dataDir(call.text('data-dir'));
  const listen = readListenOptions(call);
  openDataDir(folder);
  keepHeapSmall();
  const stopping = untilStopped();
  const log = openLog('server');
  const database = await openMigrated({
    url: findDatabaseUrl(folder),
    name: 'hostwright-server',
    maxConnections: 20,
    onIdleError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  try {
    // HOSTWRIGHT_BOOT_URL=http://10.0.0.1:8080 opens the door for loaders, which know no CA of ours
    const bootUrl = process.env['HOSTWRIGHT_BOOT_URL'];
    const boot = bootUrl === undefined ? undefined : { bootUrl, filesFolder: join(folder, 'boot') };
    const server = await startServer({
      database,
      log,
      ...(boot !== undefined && { plugins: [bootPlugin(boot)] }),
      config: {
        dataDir: folder,
        host: listen.host,
        port: listen.port,
        names: [localName(listen.host)],
        master: await readMasterKey(folder),
        simulator: process.env['HOSTWRIGHT_SIMULATOR'] === '1',
        ...(listen.publicUrl !== undefined && { publicUrl: listen.publicUrl }),
        ...(bootUrl !== undefined && { bootUrl }),
        ...(listen.tls !== undefined && { tls: listen.tls }),
      },
    });
    const loaders =
      boot === undefined
        ? undefined
        : await listenForLoaders(bootDeps(server.context, boot), {
            host: '0.0.0.0',
            port: Number(new URL(boot.bootUrl).port || 80),
          });
    // HOSTWRIGHT_BOOT_TFTP=10.0.0.1 serves the same by TFTP: signed GRUB (Secure Boot) speaks nothing else
    const tftpHost = process.env['HOSTWRIGHT_BOOT_TFTP'];
    const tftp =
      boot === undefined || tftpHost === undefined
        ? undefined
        : await listenForTftp(bootDeps(server.context, boot), { host: tftpHost, port: 69 });
    log.info({ url: server.url }, 'listening');
    sayReady({ url: server.url, port: server.port });
    await stopping.asked;
    await tftp?.close();
    await loaders?.close();
    await server.close();
  } finally {
    await database.close();
  }
};
