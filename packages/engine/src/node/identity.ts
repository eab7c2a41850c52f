/**
 * What makes a machine the same machine: its system UUID, its serial, any of its MAC addresses.
 * Boards whose maker filled in nothing, or the same for all, must not become one node.
 */
import { sql } from 'kysely';
import { PAIR_LOCKS } from '../db/locks.ts';
import type { Tx } from '../db/open.ts';
import { normalMac } from './check.ts';

const JUNK_UUIDS = new Set([
  '03000200-0400-0500-0006-000700080009',
  '12345678-1234-5678-90ab-cddeefaabbcc',
  'fefefefe-fefe-fefe-fefe-fefefefefefe',
]);

export const usableUuid = (uuid: string | null | undefined): string | undefined => {
  const plain = uuid?.trim().toLowerCase() ?? '';
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(plain)) return undefined;
  if (JUNK_UUIDS.has(plain) || /^[0-]+$|^[f-]+$/.test(plain)) return undefined;
  return plain;
};

const JUNK_SERIAL =
  /^(0+|f+|x+|\.+|-+|none|null|n\/?a|unknown|default( string)?|not (specified|available|applicable)|to be filled by o\.?e\.?m\.?|system serial number|serial ?number|empty|invalid|0123456789|1234567890|123456789)$/i;

export const usableSerial = (serial: string | null | undefined): string | undefined => {
  const plain = serial?.trim() ?? '';
  // oxlint-disable-next-line no-control-regex -- these are what must not come in
  if (plain.length < 4 || plain.length > 128 || /[\u0000-\u001f\u007f]/.test(plain))
    return undefined;
  return JUNK_SERIAL.test(plain) ? undefined : plain;
};

export interface Identity {
  readonly system_uuid: string | null;
  readonly serial: string | null;
  readonly macs: readonly string[];
}

/** What of a machine's words can be believed to be its own. */
export const identityOf = (said: {
  readonly systemUuid?: string | undefined;
  readonly serial?: string | undefined;
  readonly macs: readonly string[];
}): Identity => ({
  system_uuid: usableUuid(said.systemUuid) ?? null,
  serial: usableSerial(said.serial) ?? null,
  macs: [...new Set(said.macs.slice(0, 64).flatMap((mac) => normalMac(mac) ?? []))],
});

export const identityKeys = (machine: Identity): string[] => [
  ...(machine.system_uuid === null ? [] : [`uuid ${machine.system_uuid}`]),
  ...(machine.serial === null ? [] : [`serial ${machine.serial}`]),
  ...machine.macs.map((mac) => `mac ${mac}`),
];

/**
 * Two requests about one machine wait for each other here, whichever parts of its identity they
 * give; requests about others do not. In one order, so that they cannot deadlock.
 */
export const lockIdentity = async (tx: Tx, keys: readonly string[]): Promise<void> => {
  if (keys.length === 0) return;
  // Locks are a limited resource of the server: a large batch takes the one lock of all instead.
  if (keys.length > 256) {
    await sql`select pg_advisory_xact_lock(${PAIR_LOCKS.identity}, 0)`.execute(tx);
    return;
  }
  await sql`select pg_advisory_xact_lock_shared(${PAIR_LOCKS.identity}, 0)`.execute(tx);
  await sql`
    select pg_advisory_xact_lock(${PAIR_LOCKS.identity}, k.key) from (
      select distinct hashtext(t.key) | 1 as key from unnest(${[...keys]}::text[]) t(key) order by 1
    ) k`.execute(tx);
};
