/** The role `dns-server`: named with a key of its own, or a server of others that takes signed updates. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import { installPrograms } from '../daemon/programs.ts';
import { writeServerFile } from '../feed/server-file.ts';
import {
  number,
  object,
  readLife,
  serverRole,
  text,
  texts,
  type ServerDeps,
  type ServerTransition,
} from '../feed/server-role.ts';
import { ensureKey, startNamed, stopNamed } from './start.ts';
import type { TsigKey } from './tsig.ts';
import { readZones } from './zones.ts';

const PROGRAMS = [{ file: '/usr/sbin/named', package: 'bind9', unit: 'named.service' }];

/** Where AppArmor confines named, it may write there only. */
const usualFolder = (folder: string): string =>
  process.getuid?.() === 0 && existsSync('/var/lib/bind')
    ? '/var/lib/bind/hostwright'
    : join(folder, 'named');

const readKey = (given: string): TsigKey => {
  const [algorithm, name, secret] = given.split(':');
  if (
    (algorithm !== 'hmac-sha256' && algorithm !== 'hmac-sha512') ||
    name === undefined ||
    secret === undefined
  )
    throw new HostwrightError('bad_input', { message: 'dns/key must be algorithm:name:secret' });
  return { algorithm, name, secret };
};

export const dnsServerRole = (deps: ServerDeps): ServerTransition => {
  const folder = deps.namedFolder ?? usualFolder(deps.folder);
  return serverRole(deps, {
    kind: 'bind',
    folder,
    up: async (handle) => {
      const dns = object(handle.attribs['dns']);
      const [server, listen] = [text(dns['server']), texts(dns['listen'])];
      const given = texts(dns['zones']);
      const zones = given.length > 0 ? given : await readZones(deps.database.db);
      const port = number(dns['port'], 53);
      await mkdir(folder, { recursive: true });
      if (server !== '') {
        await stopNamed(folder);
        const key = readKey(text(dns['key']));
        await writeServerFile(folder, { kind: 'bind', server, port, zones, key });
        handle.log(`the server at ${server} is kept current; zones ${zones.join(', ')}`);
        return {
          incarnation: await readLife(folder, server, String(port), ...zones),
          wall: { dns: { running: false } },
        };
      }
      const [address] = listen;
      if (address === undefined) {
        handle.log(
          'no address is named (dns/listen, or dns/server for one of others): named is not started',
        );
        return null;
      }
      await installPrograms(PROGRAMS, (line) => handle.log(line));
      const key = await ensureKey(folder);
      const nameServer = text(dns['name_server']) || 'localhost';
      const started = await startNamed(
        { folder, listen, port, zones, key, nameServer },
        deps.within,
      );
      handle.log(
        `named ${started.started ? 'started' : 'runs already'} (pid ${started.pid}); zones ${zones.join(', ')}`,
      );
      await writeServerFile(folder, { kind: 'bind', server: address, port, zones, key });
      return { incarnation: await readLife(folder, ...zones), wall: { dns: { running: true } } };
    },
    down: () => stopNamed(folder),
  });
};
