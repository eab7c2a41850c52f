/**
 * Reads what the DHCP servers of this machine log, and tells the flight recorder: offers, answers
 * and files of machines that boot. A flood is bounded: so many strangers a minute, so many bytes a
 * look; what is skipped is lost to the recorder and to nobody else.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { transaction, type Database, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { recordBootEvent } from '../recorder/record.ts';
import { openLogMemory, readLogLine, type LogEvent } from './read-log.ts';
import { rotateLog, tailLog } from './tail-log.ts';

const STRANGERS_A_MINUTE = 60;
const LARGEST_MAP = 20_000;

const FILES = {
  dnsmasq: [{ kind: 'dnsmasq', file: 'dnsmasq.log', daemon: 'dnsmasq' }],
  kea: [
    { kind: 'kea', file: 'kea.log', daemon: null },
    { kind: 'tftp', file: 'tftp.log', daemon: 'tftp' },
  ],
} as const;

interface Known {
  readonly node_id: number | null;
  readonly booting: boolean;
}

const findKnown = async (tx: Tx, mac: string): Promise<Known> => {
  const { rows } = await sql<Known>`
    select n.id as node_id, exists (
      select 1 from boot_attempt a where (a.node_id = n.id or a.mac = ${mac}) and a.hello_at is null and a.started_at > now() - interval '30 minutes') as booting
    from (select 1) one left join node n on n.macs @> array[${mac}::text] and n.deleted_at is null
    limit 1`.execute(tx);
  return rows[0] ?? { node_id: null, booting: false };
};

export interface LogFollower {
  read(): Promise<void>;
}

export const followServers = (database: Database): LogFollower => {
  const memory = openLogMemory();
  const macByAddress = new Map<string, string>();
  let strangers = 0;
  let minute = 0;

  const mayRecordStranger = (): boolean => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) strangers = 0;
    minute = now;
    return strangers++ < STRANGERS_A_MINUTE;
  };

  const recordOne = async (tx: Tx, event: LogEvent): Promise<void> => {
    const mac = event.mac ?? macByAddress.get(event.address ?? '');
    if (mac === undefined) return;
    if (event.address !== null && event.mac !== null) {
      if (macByAddress.size > LARGEST_MAP) macByAddress.clear();
      macByAddress.set(event.address, mac);
    }
    const known = await findKnown(tx, mac);
    // a running system that renews its lease is no boot
    if (!event.pxe && !known.booting) return;
    if (known.node_id === null && !known.booting && !mayRecordStranger()) return;
    await recordBootEvent(tx, {
      nodeId: known.node_id,
      mac,
      kind: event.kind,
      text: event.text,
      detail: { pxe: event.pxe },
    });
  };

  const readOne = async (kind: 'dnsmasq' | 'kea', folder: string): Promise<void> => {
    for (const { kind: format, file, daemon } of FILES[kind]) {
      const tail = await tailLog(join(folder, file));
      for (const { text, end } of tail.lines) {
        const event = readLogLine(format, text, memory);
        if (event === null) continue;
        // one at a time: a look that held several machines at once could wait for another look, and that for it
        await transaction(database.db, (tx) => recordOne(tx, event));
        // and each is done with at once: if the database goes away now, the next look begins behind it
        if (event.answers !== null) memory.firmware.delete(event.answers);
        await tail.acknowledge(end);
      }
      await tail.acknowledge(tail.end);
      if (daemon !== null) await rotateLog({ folder, file, daemon, size: tail.size });
    }
  };

  return {
    read: async () => {
      const { rows } = await sql<{ kind: 'dnsmasq' | 'kea'; folder: string }>`
        select kind, folder from boot_server
        where active and folder <> '' and kind in ('dnsmasq', 'kea') and host = ${hostname()}`.execute(
        database.db,
      );
      for (const { kind, folder } of rows) await readOne(kind, folder);
    },
  };
};
