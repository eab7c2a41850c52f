/**
 * What an admin may set. Each has a default, a sentence and a schema; a key that is not here is
 * refused. Others of the table (cursors, the annealer's mode) are the engine's own and not shown.
 */
import {
  checkValue,
  HostwrightError,
  isObject,
  type JsonObject,
  type JsonValue,
} from '@hostwright/core';
import { sql } from 'kysely';
import { TRUST_FIRST_KEY } from '../agent-task/read-way.ts';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { RETENTION_DEFAULTS } from '../retention/policy.ts';

export interface SettingDefinition {
  readonly key: string;
  readonly default: JsonValue;
  readonly description: string;
  /** JSON Schema of the value. What an object leaves out is as in the default. */
  readonly schema: JsonObject;
}

const atLeastOne = (description: string): JsonObject => ({
  type: 'number',
  minimum: 1,
  maximum: 100_000_000,
  description,
});

export const SETTINGS: readonly SettingDefinition[] = [
  {
    key: 'boot',
    default: {
      unknownMachines: 'discovery',
      strangers: 5000,
      rescueKeys: [],
      mirrors: {},
      mirrorGigabytes: 50,
    },
    description: 'What machines that nobody knows are given when they boot from the network',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        unknownMachines: {
          type: 'string',
          enum: ['discovery', 'local'],
          description: 'discovery makes a node of it; local lets it boot from its own disk',
        },
        strangers: {
          type: 'integer',
          minimum: 0,
          maximum: 1_000_000,
          description:
            'So many may ask within ten minutes; with more, all of them are told to boot from their disks',
        },
        mirrors: {
          type: 'object',
          maxProperties: 32,
          propertyNames: { pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' },
          additionalProperties: {
            type: 'string',
            maxLength: 500,
            pattern: '^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/-]*)?$',
          },
          description:
            'Package mirrors that are cached: name to address; served as /boot/v1/mirror/NAME',
        },
        mirrorGigabytes: atLeastOne('What the cache of all mirrors may take of the disk'),
        rescueKeys: {
          type: 'array',
          maxItems: 64,
          items: { type: 'string', maxLength: 3000 },
          description:
            'SSH public keys that open a machine in rescue, besides those it was installed with',
        },
      },
    },
  },
  {
    key: 'retention',
    default: { ...RETENTION_DEFAULTS },
    description: 'How long things are kept; runs, nodes and snapshots stay for ever',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        logDays: atLeastOne('Output of runs, and the attributes they ran with'),
        logMegabytes: atLeastOne('The oldest logs go earlier when all together are larger'),
        eventDays: atLeastOne('Events'),
        deliveryDays: atLeastOne('What became of hooks and webhooks'),
        idempotencyHours: atLeastOne('Answers kept for requests that are repeated'),
        auditDays: atLeastOne('Who did what'),
      },
    },
  },
  {
    key: TRUST_FIRST_KEY,
    default: false,
    description:
      'A host key that nobody has given is pinned when a machine is first reached over SSH',
    schema: { type: 'boolean' },
  },
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

const withDefaults = (fallback: JsonValue, value: JsonValue | undefined): JsonValue => {
  if (value === undefined) return fallback;
  return isObject(fallback) && isObject(value) ? { ...fallback, ...value } : value;
};

export const listSettings = async (db: Db | Tx): Promise<SettingView[]> => {
  const { rows } = await sql<{ key: string; value: JsonValue; updatedAt: Date }>`
    select key, value, updated_at as "updatedAt" from setting`.execute(db);
  const stored = new Map(rows.map((row) => [row.key, row]));
  return SETTINGS.map((definition) => ({
    ...definition,
    value: withDefaults(definition.default, stored.get(definition.key)?.value),
    updatedAt: stored.get(definition.key)?.updatedAt ?? null,
  }));
};

const needDefinition = (key: string): SettingDefinition => {
  const found = SETTINGS.find((definition) => definition.key === key);
  if (found === undefined)
    throw new HostwrightError('not_found', { message: `there is no setting ${key.slice(0, 128)}` });
  return found;
};

const problemsWith = (definition: SettingDefinition, value: JsonValue) =>
  checkValue(
    {
      name: definition.key,
      role: null,
      path: [],
      description: definition.description,
      schema: definition.schema,
      fallback: definition.default,
      secret: false,
      volatile: false,
    },
    value,
    'body/value',
  );

export const putSetting = async (
  db: Db,
  wanted: { readonly key: string; readonly value: JsonValue },
): Promise<SettingView> => {
  const definition = needDefinition(wanted.key);
  const refusals = problemsWith(definition, wanted.value);
  if (refusals.length > 0)
    throw new HostwrightError('refused', {
      message: refusals.map((refusal) => refusal.message).join('; '),
      refusals,
    });
  return transaction(db, async (tx) => {
    await sql`
      insert into setting (key, value) values (${wanted.key}, ${JSON.stringify(wanted.value)}::jsonb)
      on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(tx);
    const all = await listSettings(tx);
    return (
      all.find((setting) => setting.key === wanted.key) ?? {
        ...definition,
        value: wanted.value,
        updatedAt: null,
      }
    );
  });
};

export const resetSetting = async (db: Db, key: string): Promise<void> =>
  transaction(db, async (tx) => {
    await tx.deleteFrom('setting').where('key', '=', needDefinition(key).key).execute();
  });
