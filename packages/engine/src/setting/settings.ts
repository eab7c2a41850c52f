/**
 * What an admin may set. Each has a default, a sentence and a schema; a key that is not here is
 * refused. Others of the table (cursors, the annealer's mode) are the engine's own and not shown.
 */
import { HostwrightError, type JsonObject, type JsonValue } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';

export interface SettingDefinition {
  readonly key: string;
  readonly default: JsonValue;
  readonly description: string;
  /** JSON Schema of the value: a boolean, or an integer with bounds. */
  readonly schema: JsonObject & { readonly type: 'boolean' | 'integer' };
}

export const SETTINGS: readonly SettingDefinition[] = [
  {
    key: 'webhook.allowInner',
    default: false,
    description: 'Webhooks may go to loopback, private and link-local addresses',
    schema: { type: 'boolean' },
  },
];

export interface SettingView extends SettingDefinition {
  readonly value: JsonValue;
  readonly updatedAt: Date | null;
}

export const listSettings = async (db: Db | Tx): Promise<SettingView[]> => {
  const { rows } = await sql<{ key: string; value: JsonValue; updatedAt: Date }>`
    select key, value, updated_at as "updatedAt" from setting`.execute(db);
  const stored = new Map(rows.map((row) => [row.key, row]));
  return SETTINGS.map((definition) => ({
    ...definition,
    value: stored.get(definition.key)?.value ?? definition.default,
    updatedAt: stored.get(definition.key)?.updatedAt ?? null,
  }));
};

const needDefinition = (key: string): SettingDefinition => {
  const found = SETTINGS.find((definition) => definition.key === key);
  if (found === undefined)
    throw new HostwrightError('not_found', { message: `there is no setting ${key.slice(0, 128)}` });
  return found;
};

const problemWith = (definition: SettingDefinition, value: JsonValue): string | undefined => {
  const { type, minimum, maximum } = definition.schema;
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (!Number.isInteger(value)) return 'a whole number';
  const [low, high] = [Number(minimum ?? -Infinity), Number(maximum ?? Infinity)];
  return Number(value) >= low && Number(value) <= high ? undefined : `between ${low} and ${high}`;
};

export const putSetting = async (
  db: Db,
  wanted: { readonly key: string; readonly value: JsonValue },
): Promise<SettingView> => {
  const definition = needDefinition(wanted.key);
  const problem = problemWith(definition, wanted.value);
  if (problem !== undefined)
    throw new HostwrightError('refused', {
      message: `${wanted.key} must be ${problem}`,
      refusals: [{ code: 'refused', path: 'body/value', message: `must be ${problem}` }],
    });
  await sql`
    insert into setting (key, value) values (${wanted.key}, ${JSON.stringify(wanted.value)}::jsonb)
    on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(db);
  const all = await listSettings(db);
  return (
    all.find((setting) => setting.key === wanted.key) ?? {
      ...definition,
      value: wanted.value,
      updatedAt: null,
    }
  );
};

export const resetSetting = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('setting').where('key', '=', needDefinition(key).key).execute();
};
