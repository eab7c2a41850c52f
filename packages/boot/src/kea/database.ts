/**
 * The database that Kea reads its hosts from: one of its own, beside Hostwright's, with Kea's own
 * schema. Its life is known by a comment, so that a database that was made anew is fed anew.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import pg from 'pg';
import type { KeaConfig } from './render.ts';

const SCHEMA = '/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql';

const withClient = async <Value>(
  url: string,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const createDatabase = async (url: string, name: string): Promise<void> =>
  withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return;
    await client.query(`create database ${pg.escapeIdentifier(name)}`).catch((cause: unknown) => {
      throw new HostwrightError('forbidden', {
        message: `the database ${name} for Kea could not be made; let somebody who may make it, or name another with dhcp_kea/database_url`,
        cause,
      });
    });
  });

export interface KeaDatabase {
  readonly url: string;
  readonly incarnation: string;
}

/** `url` = an existing, empty or already prepared database; without it, one beside Hostwright's. */
export const prepareKeaDatabase = async (options: {
  readonly hostwrightUrl: string;
  readonly url?: string;
}): Promise<KeaDatabase> => {
  const own = new URL(options.hostwrightUrl);
  const name = `${decodeURIComponent(own.pathname.slice(1))}_kea`;
  let url = options.url ?? '';
  if (url === '') {
    await createDatabase(options.hostwrightUrl, name);
    own.pathname = `/${encodeURIComponent(name)}`;
    url = own.href;
  }
  const incarnation = await withClient(url, async (client) => {
    const { rows } = await client.query<{ here: boolean; said: string | null }>(
      `select to_regclass('hosts') is not null as here, obj_description(to_regclass('hosts')) as said`,
    );
    if (rows[0]?.here !== true) await client.query(await readFile(SCHEMA, 'utf8'));
    // Kea looks hosts up by card; we look ours up by node
    await client.query('create index if not exists hosts_of_hostwright on hosts (user_context)');
    if (rows[0]?.said != null) return rows[0].said;
    const made = randomUUID();
    await client.query(`comment on table hosts is '${made}'`);
    return made;
  });
  return { url, incarnation };
};

export const dropKeaDatabase = async (hostwrightUrl: string): Promise<void> => {
  const name = `${decodeURIComponent(new URL(hostwrightUrl).pathname.slice(1))}_kea`;
  await withClient(hostwrightUrl, (client) =>
    client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  );
};

export const keaConnection = (url: string): KeaConfig['hostDatabase'] => {
  const parts = new URL(url);
  return {
    host: parts.hostname,
    port: parts.port === '' ? 5432 : Number(parts.port),
    name: decodeURIComponent(parts.pathname.slice(1)),
    user: decodeURIComponent(parts.username),
    password: decodeURIComponent(parts.password),
  };
};
