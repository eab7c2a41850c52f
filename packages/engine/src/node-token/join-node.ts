/**
 * A machine with a join token becomes a node, or is found to be one: one use of the token, the
 * node and its new token, all in one transaction or not at all.
 */
import type { Refusal } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { adoptNode, type Machine } from '../node/adopt.ts';
import type { NodeRecord } from '../node/find.ts';
import { issueNodeToken } from './node-token.ts';
import { readJoinToken, takeJoinToken, type BootOfToken } from './take-join-token.ts';

export interface JoinOptions {
  readonly token: string;
  readonly machine: Machine;
  /** Asked before a known node gets a new token, which ends the old one's. */
  readonly mayBe: (node: {
    readonly id: number;
    readonly bootId: string | null;
  }) => Promise<boolean>;
}

export interface JoinedNode {
  readonly nodeId: number;
  readonly name: string;
  readonly token: string;
  readonly how: 'created' | 'known';
}

export type Joined =
  | ({ readonly ok: true } & JoinedNode)
  | { readonly ok: false; readonly reason: 'token' }
  | { readonly ok: false; readonly reason: 'refused'; readonly refusals: readonly Refusal[] };

/** Ends the transaction: what a refused join took and made is given back. */
class Refused extends Error {
  readonly refusals: readonly Refusal[];
  constructor(refusals: readonly Refusal[]) {
    super('refused');
    this.refusals = refusals;
  }
}

/** Another machine took the last use meanwhile. */
class UsedUp extends Error {}

/**
 * Anybody on the wire gets a token for a boot by asking. One given to a node is that node's; one given
 * to a stranger is not for a machine that runs its own system under management: that one was told to
 * boot from its disk. A node that was only entered, or deleted and adopted, has nothing to lose yet.
 */
const isOfAnother = async (
  tx: Tx,
  boot: BootOfToken | null,
  { node, how }: { readonly node: NodeRecord; readonly how: 'created' | 'known' },
): Promise<boolean> => {
  if (boot === null) return false;
  if (boot.nodeId !== null) return boot.nodeId !== node.id;
  if (how === 'created' || node.bootenv !== 'local') return false;
  const token = await tx
    .selectFrom('node_token')
    .select('node_id')
    .where('node_id', '=', node.id)
    .executeTakeFirst();
  return node.alive || token !== undefined;
};

const join = async (tx: Tx, options: JoinOptions): Promise<Joined> => {
  const known = await readJoinToken(tx, options.token);
  if (known === undefined) return { ok: false, reason: 'token' };
  const adopted = await adoptNode(tx, {
    machine: options.machine,
    actor: `join token ${known.name === '' ? known.id : known.name}`,
  });
  if (!adopted.ok) throw new Refused(adopted.refusals);
  const { node, how } = adopted;
  // the offer stays: nothing else was taken or made yet
  if (how === 'offered')
    return {
      ok: false,
      reason: 'refused',
      refusals: [
        {
          code: 'offered',
          path: 'machine',
          message: `this machine was node ${node.name}, which was deleted; it joins once somebody runs \`hostwright node adopt ${node.id}\``,
        },
      ],
    };
  if (await isOfAnother(tx, known.boot, { node, how }))
    throw new Refused([
      {
        code: 'conflict',
        path: 'machine',
        message:
          how === 'known'
            ? `this boot was not one of node ${node.name}: its token is not for that node`
            : 'this boot was one of another node: its token is not for a new one',
      },
    ]);
  if (how === 'known' && !(await options.mayBe(node)))
    throw new Refused([
      {
        code: 'conflict',
        path: 'machine',
        message: `node ${node.name} is there, in another boot: this machine cannot be it`,
      },
    ]);
  const token = await issueNodeToken(tx, node.id);
  if ((await takeJoinToken(tx, options.token)) === undefined) throw new UsedUp('used up');
  return { ok: true, nodeId: node.id, name: node.name, token, how };
};

export const joinNode = async (db: Db, options: JoinOptions): Promise<Joined> => {
  try {
    return await transaction(db, (tx) => join(tx, options));
  } catch (error) {
    if (error instanceof UsedUp) return { ok: false, reason: 'token' };
    if (error instanceof Refused) return { ok: false, reason: 'refused', refusals: error.refusals };
    throw error;
  }
};
