/**
 * What a commit does beyond noderoles - disks, addresses, names, boots - is told by those who know of
 * it. What they tell is part of what the plan was made from: it moves, the plan moves.
 */
import {
  canonicalJson,
  readKey,
  type Disk,
  type JsonObject,
  type PlanDestructive,
  type PlanItem,
  type PlanResult,
} from '@hostwright/core';
import { sha256 } from '../attribs/digest.ts';
import { resolveProposed } from '../attribs/resolve-proposed.ts';
import type { Db, Tx } from '../db/open.ts';
import type { SnapshotRecord } from './read.ts';

export interface PlanEffect {
  readonly kind: string;
  /** The name of the node it is about. */
  readonly subject: string;
  readonly text: string;
}

export interface PlanQuestion extends Pick<
  PlanResult,
  'add' | 'change' | 'rerun' | 'teardown' | 'destructive'
> {
  /** The attributes each item would get, in the order asked; secrets stay references. */
  attribs(items: readonly PlanItem[]): Promise<readonly JsonObject[]>;
}

export interface PlanAdvice {
  readonly effects: readonly PlanEffect[];
  /** Exactly the disks a destructive item would erase, by `bindingKey`. */
  readonly disks: ReadonlyMap<string, readonly Disk[]>;
}

export interface PlanAdviser {
  advise(db: Db | Tx, question: PlanQuestion): Promise<PlanAdvice>;
  /** In the transaction of the commit, after its noderoles are written: does what was told. */
  carryOut?(tx: Tx, question: PlanQuestion): Promise<void>;
}

export const bindingKey = (item: { readonly roleId: number; readonly nodeId: number }): string =>
  `${item.roleId}@${item.nodeId}`;

export const questionOf = (
  db: Db | Tx,
  snapshot: SnapshotRecord,
  result: PlanResult,
): PlanQuestion => ({
  add: result.add,
  change: result.change,
  rerun: result.rerun,
  teardown: result.teardown,
  destructive: result.destructive,
  attribs: (items) =>
    resolveProposed(
      db,
      { deploymentId: snapshot.deploymentId, revision: snapshot.revision },
      items,
    ),
});

export interface Advised {
  readonly effects: readonly PlanEffect[];
  readonly destructive: readonly PlanDestructive[];
  /** Keys of destructive items whose disks are known exactly. */
  readonly exact: ReadonlySet<string>;
  readonly readSet: Readonly<Record<string, string>>;
}

export const takeAdvice = async (
  db: Db | Tx,
  plan: { readonly snapshot: SnapshotRecord; readonly result: PlanResult },
  advisers: readonly PlanAdviser[],
): Promise<Advised> => {
  const question = questionOf(db, plan.snapshot, plan.result);
  const effects: PlanEffect[] = [];
  const disks = new Map<string, readonly Disk[]>();
  for (const adviser of advisers) {
    const advice = await adviser.advise(db, question);
    effects.push(...advice.effects);
    for (const [key, exact] of advice.disks) disks.set(key, exact);
  }
  const bySubject = new Map<string, string[]>();
  for (const { kind, subject, text } of effects) {
    const told = bySubject.get(subject);
    if (told === undefined) bySubject.set(subject, [kind, text]);
    else told.push(kind, text);
  }
  return {
    effects,
    destructive: plan.result.destructive.map((item) => ({
      ...item,
      disks: disks.get(bindingKey(item)) ?? item.disks,
    })),
    exact: new Set(disks.keys()),
    readSet: Object.fromEntries(
      [...bySubject].map(([subject, told]) => [
        readKey('effects on', subject),
        sha256(canonicalJson(told)).slice(0, 16),
      ]),
    ),
  };
};
