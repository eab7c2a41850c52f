/**
 * Puts secrets in the places of their references, in memory, for one run. The values come back
 * too, so that whoever writes the run's log can mask them.
 */
import { HostwrightError, revealSecrets, secretNames, type JsonObject } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { unseal, type MasterKey } from './seal.ts';

export interface Resolved {
  readonly attribs: JsonObject;
  readonly values: readonly string[];
}

export const resolveSecrets = async (
  db: Db | Tx,
  options: { readonly attribs: JsonObject; readonly master: MasterKey | undefined },
): Promise<Resolved> => {
  const names = secretNames(options.attribs);
  if (names.length === 0) return { attribs: options.attribs, values: [] };
  const { master } = options;
  if (master === undefined)
    throw new HostwrightError('unavailable', { message: 'this process has no master key' });
  const rows = await db
    .selectFrom('secret')
    .select(['name', 'sealed'])
    .where('name', 'in', names)
    .execute();
  const values = new Map(rows.map((row) => [row.name, unseal(master, row.name, row.sealed)]));
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0)
    throw new HostwrightError('refused', {
      message: `there is no secret ${missing.join(', ')}`,
      refusals: missing.map((name) => ({
        code: 'not_found',
        path: name,
        message: `there is no secret ${name}`,
      })),
    });
  const revealed = Object.entries(options.attribs).map(([key, value]) => [
    key,
    revealSecrets(value, (name) => values.get(name) ?? null),
  ]);
  return { attribs: Object.fromEntries(revealed) as JsonObject, values: [...values.values()] };
};
