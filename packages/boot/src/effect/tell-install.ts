/** What an installation would do to a machine, in words: which disks it erases and what is on them. */
import type { Disk as PlanDisk, JsonObject, JsonValue, PlanDestructive } from '@hostwright/core';
import {
  bindingKey,
  type Db,
  type PlanEffect,
  type PlanQuestion,
  type Tx,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { listBootEnvs } from '../boot/list-envs.ts';
import type { InstallPlan } from '../install/plan.ts';
import { ERASE_ROLE } from '../install/plan-erase.ts';
import { foreseeInstall, INSTALL_ROLE } from './foresee-install.ts';

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const size = (bytes: number): string =>
  bytes >= 1e12 ? `${(bytes / 1e12).toFixed(1)} TB` : `${Math.round(bytes / 1e9)} GB`;

interface NodeRow {
  readonly id: number;
  readonly discovery: JsonObject;
  readonly addresses: readonly string[];
}

const readNodeRows = async (db: Db | Tx, ids: readonly number[]): Promise<Map<number, NodeRow>> => {
  const { rows } = await sql<NodeRow>`
    select n.id, n.discovery, array(select host(a.address) || ' in ' || w.name from allocation a
        join network_range r on r.id = a.range_id join network w on w.id = r.network_id
        where a.node_id = n.id and a.released_at is null order by a.address) as addresses
    from node n where n.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
};

/** The text that says what is on a disk. Nothing found and nobody looked are two things. */
const contentOf = (
  facts: JsonObject,
  name: string,
): { text: string; holds?: readonly string[] } => {
  const disks = Array.isArray(facts['disks']) ? facts['disks'] : [];
  const told = disks.map(object).find((disk) => disk['name'] === name)?.['signatures'];
  if (!Array.isArray(told)) return { text: 'what is on it was not told' };
  const holds = told.filter((one) => typeof one === 'string');
  return {
    text: holds.length === 0 ? 'nothing was found on it' : `on it: ${holds.join('; ')}`,
    holds,
  };
};

const diskEffects = (item: PlanDestructive, plan: InstallPlan, facts: JsonObject): PlanEffect[] =>
  plan.disks.map((disk) => {
    const { text } = contentOf(facts, disk.name);
    const name = `${disk.name} (${size(disk.bytes)}, ${disk.serial === '' ? 'no serial' : `serial ${disk.serial}`})`;
    return {
      kind: 'disk',
      subject: item.node,
      text:
        item.effect === 'runs once consent is given'
          ? `${name} is erased once consent is given; ${text}`
          : `${name} is left as it is, although what should be on it has changed`,
    };
  });

/** What all installations of a plan share, read once for all of them. */
interface Surroundings {
  readonly servers: readonly string[];
  readonly missing: (bootenv: string) => Promise<readonly string[]>;
}

const readSurroundings = async (db: Db | Tx): Promise<Surroundings> => {
  const { rows } = await sql<{
    name: string;
  }>`select name from boot_server where active order by name`.execute(db);
  const known = new Map<string, readonly string[]>();
  return {
    servers: rows.map((row) => row.name),
    missing: async (bootenv) => {
      const missing = known.get(bootenv) ?? (await listBootEnvs(db, bootenv))[0]?.missing ?? [];
      known.set(bootenv, missing);
      return missing;
    },
  };
};

const bootEffects = (
  item: PlanDestructive,
  told: {
    readonly plan: InstallPlan;
    readonly node: NodeRow;
    readonly servers: readonly string[];
    readonly missing: readonly string[];
  },
): PlanEffect[] => {
  const { plan, node, servers, missing } = told;
  const effect = (kind: string, text: string): PlanEffect => ({ kind, subject: item.node, text });
  return [
    effect(
      'boot',
      plan.kind === 'erase'
        ? 'boots erase from the network once, then into discovery'
        : `boots ${plan.bootenv} from the network once, for ${plan.os} as ${plan.hostname} (${plan.layout}), then its own disk for good`,
    ),
    effect(
      'dhcp',
      servers.length === 0
        ? 'no DHCP or DNS server of ours has to be told first'
        : `${servers.join(', ')} must acknowledge it before it is restarted`,
    ),
    effect(
      'address',
      node.addresses.length === 0
        ? 'has no address of its own: it installs with one of the pool for strangers'
        : `keeps ${node.addresses.join(', ')}`,
    ),
    ...(missing.length === 0
      ? []
      : [
          effect(
            'problem',
            `${plan.bootenv} cannot be booted yet: ${missing.join(', ')} is missing`,
          ),
        ]),
  ];
};

/** The disks of a plan as people are shown them, with what was found on each. */
export const planDisks = (plan: InstallPlan, facts: JsonObject): readonly PlanDisk[] =>
  plan.disks.map(({ name, serial, bytes }) => {
    const { holds } = contentOf(facts, name);
    return { name, serial: serial || null, bytes, ...(holds !== undefined && { holds }) };
  });

export interface ToldInstalls {
  readonly effects: readonly PlanEffect[];
  readonly disks: ReadonlyMap<string, readonly PlanDisk[]>;
}

export const tellInstalls = async (db: Db | Tx, question: PlanQuestion): Promise<ToldInstalls> => {
  const items = question.destructive.filter(
    (item) => item.role === INSTALL_ROLE || item.role === ERASE_ROLE,
  );
  const effects: PlanEffect[] = [];
  const disks = new Map<string, readonly PlanDisk[]>();
  if (items.length === 0) return { effects, disks };
  const attribs = await question.attribs(items);
  const nodes = await readNodeRows(
    db,
    items.map((item) => item.nodeId),
  );
  const { servers, missing: missingOf } = await readSurroundings(db);
  for (const [index, item] of items.entries()) {
    const node = nodes.get(item.nodeId);
    if (node === undefined) continue;
    const made = await foreseeInstall(db, {
      role: item.role,
      node: item.node,
      attribs: attribs[index] ?? {},
      discovery: node.discovery,
    });
    if (!made.ok) {
      for (const refusal of made.refusals)
        effects.push({
          kind: 'problem',
          subject: item.node,
          text: `cannot be done as things are: ${refusal.path}: ${refusal.message}`,
        });
      continue;
    }
    effects.push(...diskEffects(item, made.plan, node.discovery));
    const missing = await missingOf(made.plan.bootenv);
    effects.push(...bootEffects(item, { plan: made.plan, node, servers, missing }));
    disks.set(bindingKey(item), planDisks(made.plan, node.discovery));
  }
  return { effects, disks };
};
