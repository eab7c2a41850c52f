/**
 * A server role in general: it may run on the machine of this worker only, its daemon is registered
 * while it runs and forgotten when the role is unbound, and every refusal is an outcome with a reason.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { HostwrightError, type JsonObject, type JsonValue } from '@hostwright/core';
import type { Database, Outcome, RunHandle } from '@hostwright/engine';
import { sql } from 'kysely';
import { removeFolder } from '../daemon/remove-folder.ts';
import { registerBootServer } from './acks.ts';

export interface ServerDeps {
  readonly database: Database;
  /** The data folder of this machine. */
  readonly folder: string;
  /** For labs: a command that enters the network namespace the daemons run in. */
  readonly within?: readonly string[];
  /** Where named keeps its files, if not in its usual place. */
  readonly namedFolder?: string;
}

export type ServerTransition = (handle: RunHandle) => Promise<Outcome>;

export interface ServerKind {
  readonly kind: 'dnsmasq' | 'kea' | 'bind';
  readonly folder: string;
  /** Null if nothing is to run; else which life the fed data is in, and what is worth saying. */
  up(
    handle: RunHandle,
  ): Promise<{ readonly incarnation: string; readonly wall: JsonObject } | null>;
  down(): Promise<void>;
}

export const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
export const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
export const text = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : '';
export const number = (value: JsonValue | undefined, fallback: number): number =>
  typeof value === 'number' ? value : fallback;

/** Which life the files of a folder are in: another one means that all nodes must be written again. */
export const readLife = async (folder: string, ...shape: readonly string[]): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'life');
  await writeFile(path, randomUUID(), { flag: 'wx' }).catch(() => {});
  const life = await readFile(path, 'utf8');
  return createHash('sha256')
    .update([life, ...shape].join('\n'))
    .digest('hex')
    .slice(0, 32);
};

const isElsewhere = async (deps: ServerDeps, nodeId: number): Promise<boolean> => {
  if ((deps.within ?? []).length > 0) return false;
  const node = await deps.database.db
    .selectFrom('node')
    .select('macs')
    .where('id', '=', nodeId)
    .executeTakeFirst();
  const own = Object.values(networkInterfaces()).flatMap((nics) =>
    (nics ?? []).map((nic) => nic.mac),
  );
  const macs = node?.macs ?? [];
  return macs.length > 0 && !macs.some((mac) => own.includes(mac));
};

const nameOf = (kind: ServerKind['kind'], handle: RunHandle): string =>
  `${kind} on ${handle.node.name}`;

const failure = (error: unknown): Outcome => {
  // a wrong setting or a port that is taken does not mend itself
  const forPeople =
    error instanceof HostwrightError && ['bad_input', 'conflict', 'forbidden'].includes(error.code);
  return {
    kind: 'failed',
    reason: error instanceof Error ? error.message : String(error),
    retryable: !forPeople,
    blame: forPeople ? 'operator' : 'us',
  };
};

export const serverRole =
  (deps: ServerDeps, server: ServerKind): ServerTransition =>
  async (handle) => {
    const { db } = deps.database;
    const forget = () =>
      db.deleteFrom('boot_server').where('name', '=', nameOf(server.kind, handle)).execute();
    if (await isElsewhere(deps, handle.node.id))
      return {
        kind: 'failed',
        reason: `${handle.role.name} is bound to ${handle.node.name}, but this worker runs on ${hostname()}: bind it to the admin node, or run the worker there`,
        retryable: true,
        blame: 'operator',
      };
    try {
      if (handle.kind === 'teardown') {
        await server.down();
        await forget();
        await removeFolder(server.folder);
        handle.log(`${server.kind} is stopped, and what it was fed with is gone`);
        return { kind: 'succeeded' };
      }
      const up = await server.up(handle);
      if (up === null) {
        await server.down();
        await forget();
        return { kind: 'succeeded' };
      }
      await registerBootServer(db, {
        name: nameOf(server.kind, handle),
        kind: server.kind,
        nodeId: handle.node.id,
        serverNoderoleId: handle.noderoleId,
        folder: server.folder,
        host: hostname(),
        incarnation: up.incarnation,
      });
      await sql`select pg_notify('hostwright_boot', '')`.execute(db);
      return { kind: 'succeeded', wall: up.wall };
    } catch (error) {
      return failure(error);
    }
  };
