/** One-time tokens of booting machines: 256 random bits, of which only the hash is kept. */
import { createHash, randomBytes } from 'node:crypto';
import type { Tx } from '@hostwright/engine';
import { sql } from 'kysely';

export type TokenPurpose = 'seed' | 'installer' | 'os' | 'rescue';

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const isTokenText = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

export const issueToken = async (
  tx: Tx,
  options: { readonly intentId: number; readonly purpose: TokenPurpose; readonly seconds: number },
): Promise<string> => {
  const token = randomBytes(32).toString('base64url');
  await tx
    .insertInto('boot_token')
    .values({
      hash: hashToken(token),
      intent_id: options.intentId,
      purpose: options.purpose,
      expires_at: sql<Date>`now() + ${options.seconds} * interval '1 second'`,
    })
    .execute();
  return token;
};

export interface TokenHolder {
  readonly intentId: number;
  readonly nodeId: number | null;
  readonly mac: string | null;
  readonly bootenv: string;
  readonly runId: number | null;
  readonly usedAt: Date | null;
  readonly expired: boolean;
}

/** Who a token was given to; null for a token that was never issued, or for another purpose. */
export const readToken = async (
  tx: Tx,
  token: string,
  purpose: TokenPurpose,
): Promise<TokenHolder | null> => {
  if (!isTokenText(token)) return null;
  const row = await tx
    .selectFrom('boot_token')
    .innerJoin('boot_intent', 'boot_intent.id', 'boot_token.intent_id')
    .select([
      'boot_intent.id as intentId',
      'boot_intent.node_id as nodeId',
      'boot_intent.mac',
      'boot_intent.bootenv',
      'boot_intent.run_id as runId',
      'boot_token.used_at as usedAt',
    ])
    .select(sql<boolean>`boot_token.expires_at <= now()`.as('expired'))
    .where('boot_token.hash', '=', hashToken(token))
    .where('boot_token.purpose', '=', purpose)
    .executeTakeFirst();
  return row ?? null;
};

/** True for the one caller who uses it first, in time. */
export const useToken = async (tx: Tx, token: string): Promise<boolean> => {
  const used = await tx
    .updateTable('boot_token')
    .set({ used_at: sql<Date>`now()` })
    .where('hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  return used.numUpdatedRows === 1n;
};
