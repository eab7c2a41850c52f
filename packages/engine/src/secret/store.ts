/** Secrets by name: put, read, list (never values), delete. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emit } from '../event/emit.ts';
import { canBeMasked } from './mask.ts';
import { seal, unseal, type MasterKey } from './seal.ts';
import { wrapSecret, type Secret } from './secret.ts';

const NAME = /^[a-z0-9]([a-z0-9._/-]{0,254}[a-z0-9])?$/;
const MAX_VALUE = 64 * 1024;

export interface SecretRecord {
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const putSecret = async (
  db: Db,
  options: {
    readonly name: string;
    readonly value: string;
    readonly master: MasterKey;
    readonly actor: string;
  },
): Promise<void> => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  const refusals = [
    ...(NAME.test(options.name)
      ? []
      : [refuse('name', 'a secret is named in lower-case letters, digits and . _ / -')]),
    ...(Buffer.byteLength(options.value) <= MAX_VALUE
      ? []
      : [refuse('value', `a secret has at most ${MAX_VALUE} bytes`)]),
    ...(canBeMasked(options.value)
      ? []
      : [
          refuse(
            'value',
            'a secret needs a line of at least 4 characters: a shorter one could not be hidden in logs',
          ),
        ]),
  ];
  if (refusals.length > 0) throw new HostwrightError('bad_input', { refusals });
  await transaction(db, async (tx) => {
    const sealed = seal(options.master, options.name, options.value);
    await tx
      .insertInto('secret')
      .values({ name: options.name, sealed })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ sealed, updated_at: sql<Date>`now()` }),
      )
      .execute();
    await emit(tx, {
      kind: 'secret.changed',
      payload: { name: options.name, change: 'put', actor: options.actor },
    });
  });
};

export const readSecret = async (
  db: Db | Tx,
  options: { readonly name: string; readonly master: MasterKey },
): Promise<Secret> => {
  const row = await db
    .selectFrom('secret')
    .select('sealed')
    .where('name', '=', options.name)
    .executeTakeFirst();
  if (row === undefined)
    throw new HostwrightError('not_found', { message: `there is no secret ${options.name}` });
  return wrapSecret(unseal(options.master, options.name, row.sealed));
};

export const listSecrets = async (db: Db): Promise<SecretRecord[]> =>
  db
    .selectFrom('secret')
    .select(['name', 'created_at as createdAt', 'updated_at as updatedAt'])
    .orderBy('name')
    .execute();

/** Refused while a hammer or webhook still names it. */
export const deleteSecret = async (
  db: Db,
  options: { readonly name: string; readonly actor: string },
): Promise<{ readonly ok: true } | { readonly ok: false; readonly refusals: readonly Refusal[] }> =>
  transaction(db, async (tx) => {
    const { rows: users } = await sql<{ what: string }>`
      select 'hammer ' || h.kind || ' of node ' || n.name as what from hammer h join node n on n.id = h.node_id where h.secret = ${options.name}
      union all select 'webhook ' || name from webhook where secret = ${options.name}
      order by 1 limit 100`.execute(tx);
    if (users.length > 0)
      return {
        ok: false,
        refusals: users.map(({ what }) => ({
          code: 'in_use',
          path: what,
          message: `${what} uses it`,
        })),
      };
    const gone = await tx
      .deleteFrom('secret')
      .where('name', '=', options.name)
      .returning('id')
      .executeTakeFirst();
    if (gone === undefined)
      throw new HostwrightError('not_found', { message: `there is no secret ${options.name}` });
    await emit(tx, {
      kind: 'secret.changed',
      payload: { name: options.name, change: 'deleted', actor: options.actor },
    });
    return { ok: true };
  });
