/**
 * Installing a machine again, or erasing it again: a run of a noderole that is there, asked for by a
 * person who names the disks that will be lost. The consent is for the inputs as they are now, and is
 * used up by that one run; nothing else re-runs a destructive noderole.
 */
import { HostwrightError, type Disk, type JsonObject, type Refusal } from '@hostwright/core';
import {
  explainAttribs,
  grantConsents,
  needNode,
  requestRuns,
  resolveInputs,
  transaction,
  type Db,
  type Tx,
} from '@hostwright/engine';
import { sql } from 'kysely';
import { foreseeInstall, INSTALL_ROLE } from '../effect/foresee-install.ts';
import { planDisks } from '../effect/tell-install.ts';

export interface ReinstallPlan {
  readonly noderoleId: number;
  readonly node: string;
  readonly os: string;
  readonly disks: readonly Disk[];
  readonly refusals: readonly Refusal[];
}

interface Row {
  readonly id: number;
  readonly state: string;
  readonly removing: boolean;
}

const findNoderole = async (
  db: Db | Tx,
  wanted: { readonly nodeId: number; readonly node: string; readonly role: string },
): Promise<Row> => {
  const { rows } = await sql<Row>`
    select w.id, w.state, w.removing from noderole w join role r on r.id = w.role_id
    where w.node_id = ${wanted.nodeId} and r.name = ${wanted.role} for update of w`.execute(db);
  const [row] = rows;
  if (row === undefined)
    throw new HostwrightError('conflict', {
      message: `${wanted.role} is not bound to ${wanted.node}: bind it, read the plan and commit`,
    });
  return row;
};

/** States of a noderole that has run, and rests. */
const RESTING: readonly string[] = ['active', 'error'];

const refusalsOf = (
  row: Row,
  name: string,
  from: readonly string[] = RESTING,
): readonly Refusal[] =>
  from.includes(row.state) && !row.removing
    ? []
    : [
        {
          code: 'conflict',
          path: 'node',
          message: row.removing
            ? `${name} is being removed`
            : `${name} is in ${row.state}; it can be run again once it is active or in error`,
        },
      ];

const read = async (
  tx: Tx,
  options: { readonly node: string; readonly role: string; readonly from?: readonly string[] },
): Promise<ReinstallPlan> => {
  const node = await needNode(tx, options.node);
  const row = await findNoderole(tx, { nodeId: node.id, node: node.name, role: options.role });
  const { attribs } = await explainAttribs(tx, { noderoleId: row.id });
  const discovery: JsonObject = node.discovery;
  const made = await foreseeInstall(tx, {
    role: options.role,
    node: node.name,
    attribs,
    discovery,
  });
  return {
    noderoleId: row.id,
    node: node.name,
    os: made.ok ? made.plan.os : '',
    disks: made.ok ? planDisks(made.plan, discovery) : [],
    refusals: [
      ...refusalsOf(row, `${options.role} on ${node.name}`, options.from),
      ...(made.ok ? [] : made.refusals),
    ],
  };
};

export const planReinstall = async (
  db: Db,
  options: { readonly node: string; readonly role?: string },
): Promise<ReinstallPlan> =>
  transaction(db, (tx) => read(tx, { node: options.node, role: options.role ?? INSTALL_ROLE }));

export type Reinstalled =
  | { readonly ok: true; readonly plan: ReinstallPlan }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

/** Each disk that will be lost must be named; one more than that is a misunderstanding, and refused too. */
export const checkNamed = (
  disks: readonly Disk[],
  named: readonly string[],
): readonly Refusal[] => {
  const knows = (disk: Disk) =>
    named.includes(disk.name) || (disk.serial !== null && named.includes(disk.serial));
  const lost = disks
    .filter((disk) => !knows(disk))
    .map((disk) => `${disk.name} (${disk.serial ?? 'no serial'}) would be erased and is not named`);
  const odd = named
    .filter((name) => !disks.some((disk) => disk.name === name || disk.serial === name))
    .map((name) => `${name} is named, but would not be erased`);
  return [...lost, ...odd].map((message) => ({ code: 'wrong_disk', path: 'disks', message }));
};

export interface ReinstallOptions {
  readonly node: string;
  readonly role?: string;
  readonly disks: readonly string[];
  readonly actor: string;
  /** States it may be in; without this it has run, and rests. */
  readonly from?: readonly string[];
}

export const reinstallIn = async (tx: Tx, options: ReinstallOptions): Promise<Reinstalled> => {
  const plan = await read(tx, { ...options, role: options.role ?? INSTALL_ROLE });
  const refusals = [...plan.refusals, ...checkNamed(plan.disks, options.disks)];
  if (refusals.length > 0) return { ok: false, refusals };
  const { noderoleId } = plan;
  const inputHash = (await resolveInputs(tx, [noderoleId])).get(noderoleId)?.inputHash ?? '';
  const disks = plan.disks.map((disk) => disk.serial ?? disk.name);
  await grantConsents(tx, {
    consents: [{ noderoleId, inputHash, disks }],
    actor: options.actor,
  });
  await requestRuns(tx, {
    noderoleIds: [noderoleId],
    cause: `asked for by ${options.actor}`,
    actor: options.actor,
    destructiveToo: [noderoleId],
  });
  return { ok: true, plan };
};

export const reinstall = async (db: Db, options: ReinstallOptions): Promise<Reinstalled> =>
  transaction(db, (tx) => reinstallIn(tx, options));
