/**
 * Hammers: capabilities to act on a node. Credentials are names of secrets, never values; what a
 * kind needs in `config` is its provider's business.
 */
import { HostwrightError, type JsonObject, type Refusal } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { needNode } from '../node/find.ts';

export interface HammerRecord {
  readonly id: number;
  readonly nodeId: number;
  readonly kind: string;
  readonly endpoint: string;
  readonly username: string;
  /** The name of a secret. */
  readonly secret: string | null;
  /** The highest that can do a thing does it. */
  readonly priority: number;
  readonly config: JsonObject;
  readonly revision: number;
}

export interface HammerFields {
  readonly kind: string;
  readonly endpoint?: string | undefined;
  readonly username?: string | undefined;
  readonly secret?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly config?: JsonObject | undefined;
}

export type SavedHammer =
  | { readonly ok: true; readonly hammer: HammerRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const select = (db: Db | Tx) =>
  db
    .selectFrom('hammer')
    .select([
      'id',
      'node_id as nodeId',
      'kind',
      'endpoint',
      'username',
      'secret',
      'priority',
      'config',
      'revision',
    ])
    // jsonb object by what writes it
    .$narrowType<{ config: JsonObject }>();

export const listHammers = async (db: Db | Tx, nodeId: number): Promise<HammerRecord[]> =>
  select(db).where('node_id', '=', nodeId).orderBy('priority', 'desc').orderBy('id').execute();

const PLAIN = /^[\x20-\x7e]*$/;
const LOOKS_SECRET = /pass(word|wd|phrase)?|secret|token|private.?key/i;

const check = async (tx: Tx, fields: HammerFields): Promise<Refusal[]> => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  const secret =
    fields.secret == null
      ? true
      : (await tx
          .selectFrom('secret')
          .select('id')
          .where('name', '=', fields.secret)
          .executeTakeFirst()) !== undefined;
  const plain = (path: 'endpoint' | 'username') =>
    PLAIN.test(fields[path] ?? '') && (fields[path] ?? '').length <= 1024
      ? []
      : [refuse(path, 'at most 1024 printable characters')];
  const { priority } = fields;
  return [
    ...(/^[a-z][a-z0-9-]{0,63}$/.test(fields.kind)
      ? []
      : [refuse('kind', 'a kind is one lower-case word')]),
    ...plain('endpoint'),
    ...plain('username'),
    ...(secret
      ? []
      : [
          {
            code: 'not_found',
            path: 'secret',
            message: `there is no secret ${(fields.secret ?? '').slice(0, 255)}`,
          },
        ]),
    ...(priority === undefined || (Number.isInteger(priority) && Math.abs(priority) <= 1_000_000)
      ? []
      : [refuse('priority', 'a whole number of at most a million')]),
    ...Object.keys(fields.config ?? {})
      .filter((key) => LOOKS_SECRET.test(key))
      .map((key) =>
        refuse(`config/${key}`, 'a password does not belong here: store a secret and name it'),
      ),
    ...(JSON.stringify(fields.config ?? {}).length <= 64 * 1024
      ? []
      : [refuse('config', 'at most 64 KB')]),
  ];
};

/** Makes the node's hammer of this kind, or changes it. */
export const putHammer = async (
  db: Db,
  options: HammerFields & {
    readonly node: string | number;
    readonly revision?: number | undefined;
    readonly actor: string;
  },
): Promise<SavedHammer> =>
  transaction(db, async (tx) => {
    const node = await needNode(tx, options.node);
    const refusals = await check(tx, options);
    if (refusals.length > 0) return { ok: false, refusals };
    const now = await select(tx)
      .where('node_id', '=', node.id)
      .where('kind', '=', options.kind)
      .forUpdate()
      .executeTakeFirst();
    if (options.revision !== undefined && options.revision !== now?.revision)
      throw new HostwrightError('precondition_failed', {
        public: { revision: now?.revision ?? null },
      });
    const fields = {
      endpoint: options.endpoint ?? now?.endpoint ?? '',
      username: options.username ?? now?.username ?? '',
      secret: options.secret === undefined ? (now?.secret ?? null) : options.secret,
      priority: options.priority ?? now?.priority ?? 0,
      config: JSON.stringify(options.config ?? now?.config ?? {}),
    };
    const { id } = await tx
      .insertInto('hammer')
      .values({ node_id: node.id, kind: options.kind, ...fields })
      .onConflict((conflict) =>
        conflict
          .columns(['node_id', 'kind'])
          .doUpdateSet((row) => ({ ...fields, revision: row('hammer.revision', '+', 1) })),
      )
      .returning('id')
      .executeTakeFirstOrThrow();
    await changed(tx, {
      nodeId: node.id,
      kind: options.kind,
      change: now === undefined ? 'created' : 'changed',
      actor: options.actor,
    });
    return { ok: true, hammer: await select(tx).where('id', '=', id).executeTakeFirstOrThrow() };
  });

export const deleteHammer = async (
  db: Db,
  options: { readonly node: string | number; readonly kind: string; readonly actor: string },
): Promise<void> =>
  transaction(db, async (tx) => {
    const node = await needNode(tx, options.node);
    const gone = await tx
      .deleteFrom('hammer')
      .where('node_id', '=', node.id)
      .where('kind', '=', options.kind)
      .returning('id')
      .executeTakeFirst();
    if (gone === undefined)
      throw new HostwrightError('not_found', {
        message: `${node.name} has no hammer ${options.kind.slice(0, 64)}`,
      });
    await changed(tx, {
      nodeId: node.id,
      kind: options.kind,
      change: 'deleted',
      actor: options.actor,
    });
  });

const changed = (
  tx: Tx,
  about: {
    readonly nodeId: number;
    readonly kind: string;
    readonly change: string;
    readonly actor: string;
  },
): Promise<void> =>
  emit(tx, {
    kind: 'hammer.changed',
    nodeId: about.nodeId,
    payload: { hammer: about.kind, change: about.change, actor: about.actor },
  });
