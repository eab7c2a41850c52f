/**
 * A machine says who it is; the answer is its node. One machine is one node, whichever of its
 * cards it came in by: the system UUID decides, then the serial, then any MAC address.
 * A deleted node's machine is offered to people, never revived unasked and never doubled.
 * The admin node is nobody's to become: it has its token from `up`, whatever else runs on its machine.
 */
import type { JsonObject, Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import type { Tx } from '../db/open.ts';
import { emit } from '../event/emit.ts';
import { insertNodes } from './create.ts';
import { readNodes, type NodeRecord } from './find.ts';
import { identityKeys, identityOf, lockIdentity, type Identity } from './identity.ts';
import { learnIdentity } from './learn-identity.ts';
import { chooseName, freeName } from './name.ts';
import { bindSystemRoles } from '../binding/bind-system-roles.ts';

export interface Machine {
  readonly hostname?: string | undefined;
  readonly systemUuid?: string | undefined;
  readonly serial?: string | undefined;
  readonly macs: readonly string[];
}

export interface AdoptOptions {
  readonly machine: Machine;
  readonly actor: string;
  readonly deployment?: string | number;
  readonly labels?: JsonObject;
  readonly hint?: JsonObject;
  readonly bootenv?: string;
}

export type Adopted =
  | {
      readonly ok: true;
      /** Offered: its node was deleted, and people are told that it is here again. */
      readonly how: 'created' | 'known' | 'offered';
      readonly node: NodeRecord;
    }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

interface Match {
  readonly id: number;
  readonly name: string;
  readonly deleted: boolean;
  readonly admin: boolean;
  readonly by: 'uuid' | 'serial' | 'mac';
}

export const adoptNode = async (tx: Tx, options: AdoptOptions): Promise<Adopted> => {
  const { machine } = options;
  const identity = identityOf(machine);
  const keys = identityKeys(identity);
  if (keys.length === 0)
    return refused(
      'bad_input',
      'the machine gave no system UUID, serial or MAC address that could tell it from others',
    );
  await lockIdentity(tx, keys);
  const found = await findMatches(tx, identity);
  const matches = found.filter((match) => !match.admin);
  const admin = found.find((match) => match.admin);
  const chosen = choose(matches);
  if (chosen === 'ambiguous') {
    const names = matches.filter((match) => !match.deleted).map((match) => match.name);
    return refused(
      'conflict',
      `its MAC addresses belong to several nodes: ${[...new Set(names)].join(', ')}`,
    );
  }
  if (chosen === undefined)
    return admin === undefined
      ? create(tx, options, identity)
      : createBesideAdmin(tx, { ...options, identity, admin });
  if (chosen.deleted) return offer(tx, chosen);
  await learnIdentity(tx, { nodeId: chosen.id, identity });
  const [node] = await readNodes(tx, [chosen.id]);
  if (node === undefined) return refused('not_found', 'the node is gone');
  return { ok: true, how: 'known', node };
};

const refused = (code: string, message: string): Adopted => ({
  ok: false,
  refusals: [{ code, path: 'machine', message }],
});

const findMatches = async (tx: Tx, identity: Identity): Promise<Match[]> => {
  const { rows } = await sql<Match>`
    select id, name, deleted_at is not null as deleted, admin,
      case when system_uuid = ${identity.system_uuid} then 'uuid' when serial = ${identity.serial} then 'serial' else 'mac' end as by
    from node
    where system_uuid = ${identity.system_uuid}::text or serial = ${identity.serial}::text or macs && ${[...identity.macs]}::text[]
    order by deleted_at is not null, deleted_at desc, id`.execute(tx);
  return rows;
};

/** Strongest first: a live node by UUID, serial, MAC; then a deleted one in the same order. */
const choose = (matches: readonly Match[]): Match | undefined | 'ambiguous' => {
  for (const deleted of [false, true])
    for (const by of ['uuid', 'serial', 'mac'] as const) {
      const found = matches.filter((match) => match.deleted === deleted && match.by === by);
      if (found.length > 1 && !deleted && by === 'mac') return 'ambiguous';
      if (found[0] !== undefined) return found[0];
    }
  return undefined;
};

const create = async (tx: Tx, options: AdoptOptions, identity: Identity): Promise<Adopted> => {
  const name = await freeName(tx, chooseName(options.machine.hostname, identity.macs));
  const created = await insertNodes(tx, {
    nodes: [
      {
        name,
        macs: identity.macs,
        systemUuid: identity.system_uuid ?? undefined,
        serial: identity.serial ?? undefined,
        deployment: options.deployment,
        labels: options.labels,
        hint: options.hint,
        bootenv: options.bootenv,
      },
    ],
    actor: options.actor,
  });
  if (!created.ok) return created;
  const [node] = created.nodes;
  return node === undefined
    ? refused('not_found', 'the deployment is gone')
    : { ok: true, how: 'created', node };
};

/**
 * A container or a clone on the machine of the admin node shows its UUID and serial, but has a card
 * of its own and becomes a node by that. One that has nothing of its own is that machine.
 */
const createBesideAdmin = async (
  tx: Tx,
  options: AdoptOptions & { readonly identity: Identity; readonly admin: Match },
): Promise<Adopted> => {
  const { admin, identity } = options;
  const { rows } = await sql<Identity>`
    select system_uuid, serial, macs from node where id = ${admin.id}`.execute(tx);
  const [taken] = rows;
  const own: Identity = {
    system_uuid: identity.system_uuid === taken?.system_uuid ? null : identity.system_uuid,
    serial: identity.serial === taken?.serial ? null : identity.serial,
    macs: identity.macs.filter((mac) => taken?.macs.includes(mac) !== true),
  };
  if (own.system_uuid === null && own.macs.length === 0)
    return refused('conflict', `this machine is the admin node ${admin.name}: it has its agent`);
  return create(tx, options, own);
};

const offer = async (tx: Tx, match: Match): Promise<Adopted> => {
  const [node] = await readNodes(tx, [match.id]);
  if (node === undefined) return refused('not_found', 'the node is gone');
  // A machine asks again every few seconds; people are told once an hour.
  const told = await tx
    .selectFrom('event')
    .select('id')
    .where('node_id', '=', node.id)
    .where('kind', '=', 'node.offered')
    .where('at', '>', sql<Date>`now() - interval '1 hour'`)
    .executeTakeFirst();
  if (told === undefined)
    await emit(tx, {
      kind: 'node.offered',
      nodeId: node.id,
      payload: { name: node.name, by: match.by },
    });
  return { ok: true, how: 'offered', node };
};

/** Its name if that is free still; nothing of what it was bound to but the system's own roles. */
export const reviveNode = async (
  tx: Tx,
  match: { readonly id: number; readonly name: string },
): Promise<void> => {
  const name = await freeName(tx, match.name);
  await tx
    .updateTable('node')
    .set((row) => ({
      deleted_at: null,
      name,
      alive: false,
      alive_reason: 'adopted again',
      alive_hold: null,
      alive_changed_at: sql<Date>`now()`,
      revision: row('revision', '+', 1),
      plan_revision: row('plan_revision', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('id', '=', match.id)
    .execute();
  await bindSystemRoles(tx, { nodeIds: [match.id] });
};
