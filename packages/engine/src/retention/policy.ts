/** How long things are kept. Runs, nodes and snapshots are history and stay for ever. */
import type { JsonObject } from '@hostwright/core';
import type { Db } from '../db/open.ts';

export interface RetentionPolicy {
  /** Output of runs, and the frozen attributes they ran with. */
  readonly logDays: number;
  /** The oldest logs go before their time when all logs together are larger than this. */
  readonly logMegabytes: number;
  readonly eventDays: number;
  readonly deliveryDays: number;
  readonly idempotencyHours: number;
  readonly auditDays: number;
}

export const RETENTION_DEFAULTS: RetentionPolicy = {
  logDays: 30,
  logMegabytes: 10_000,
  eventDays: 30,
  deliveryDays: 7,
  idempotencyHours: 24,
  auditDays: 365,
};

const KEY = 'retention';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const readRetention = async (db: Db): Promise<RetentionPolicy> => {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirst();
  const stored = isObject(row?.value) ? row.value : {};
  const days = (name: keyof RetentionPolicy): number => {
    const value = stored[name];
    return typeof value === 'number' && value > 0 ? value : RETENTION_DEFAULTS[name];
  };
  return {
    logDays: days('logDays'),
    logMegabytes: days('logMegabytes'),
    eventDays: days('eventDays'),
    deliveryDays: days('deliveryDays'),
    idempotencyHours: days('idempotencyHours'),
    auditDays: days('auditDays'),
  };
};
