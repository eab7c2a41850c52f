/**
 * The hellos of many machines in one transaction, each as reportHello would take it: after a power
 * cut a whole hall says hello within seconds. Only a machine that had work going, or facts to learn
 * again, costs statements of its own.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { nodeRebooted } from '../run/node-lost.ts';
import type { Hello, HelloOptions } from './hello.ts';

interface Row {
  readonly id: number;
  readonly bootId: string | null;
  readonly epoch: number;
  readonly stale: boolean;
}

const readLocked = async (tx: Tx, hellos: readonly HelloOptions[]): Promise<Row[]> => {
  const ids = hellos.map(({ nodeId }) => nodeId);
  await sql`select from node where id = any(${ids}::bigint[]) order by id for update`.execute(tx);
  const { rows } = await sql<Row>`
    select n.id, n.boot_id as "bootId", n.boot_epoch as epoch,
      n.boot_id is distinct from h.boot_id
        and exists (select from node_epoch e where e.node_id = n.id and e.boot_id = h.boot_id) as stale
    from unnest(${ids}::bigint[], ${hellos.map(({ bootId }) => bootId)}::text[]) h(node_id, boot_id)
    join node n on n.id = h.node_id and n.deleted_at is null`.execute(tx);
  return rows;
};

/** Of these, the ones for which a new boot ends or begins something. */
const findDisturbed = async (tx: Tx, nodeIds: readonly number[]): Promise<number[]> => {
  const { rows } = await sql<{ id: number }>`
    select node_id as id from run
    where node_id = any(${[...nodeIds]}::bigint[]) and status in ('running', 'waiting', 'cancelling') and not expects_reboot
    union
    select w.node_id from noderole w join role r on r.id = w.role_id
    where w.node_id = any(${[...nodeIds]}::bigint[]) and r.discovery and not r.destructive and w.state = 'active'
    order by 1`.execute(tx);
  return rows.map((row) => row.id);
};

const openEpochs = async (
  tx: Tx,
  booted: readonly { readonly id: number; readonly bootId: string; readonly epoch: number }[],
): Promise<void> => {
  if (booted.length === 0) return;
  const ids = booted.map(({ id }) => id);
  const values = sql`unnest(${ids}::bigint[], ${booted.map(({ bootId }) => bootId)}::text[], ${booted.map(({ epoch }) => epoch)}::int[]) b(id, boot_id, epoch)`;
  await sql`insert into node_epoch (node_id, epoch, boot_id) select b.id, b.epoch, b.boot_id from ${values}`.execute(
    tx,
  );
  const epochs = new Map(booted.map(({ id, epoch }) => [id, epoch]));
  // Runs of the boot that is gone end before the lane opens for this one; discovery roles run again.
  for (const nodeId of await findDisturbed(tx, ids))
    await nodeRebooted(tx, { nodeId, reason: `the node rebooted (boot ${epochs.get(nodeId)})` });
  await sql`
    update node n set boot_id = b.boot_id, boot_epoch = b.epoch, updated_at = now(),
      alive = n.alive or n.alive_hold is null,
      alive_reason = case when n.alive_hold is null then '' else n.alive_reason end,
      alive_changed_at = case when n.alive_hold is null then now() else n.alive_changed_at end
    from ${values} where n.id = b.id`.execute(tx);
};

const sayAll = async (tx: Tx, hellos: readonly HelloOptions[]): Promise<Map<number, Hello>> => {
  const rows = await readLocked(tx, hellos);
  const said = new Map(hellos.map(({ nodeId, bootId }) => [nodeId, bootId]));
  const answers = new Map<number, Hello>();
  const booted: { id: number; bootId: string; epoch: number }[] = [];
  for (const row of rows) {
    const bootId = said.get(row.id) ?? '';
    if (row.stale) answers.set(row.id, { ok: false, reason: 'stale' });
    else if (row.bootId === bootId)
      answers.set(row.id, { ok: true, epoch: row.epoch, newBoot: false });
    else {
      booted.push({ id: row.id, bootId, epoch: row.epoch + 1 });
      answers.set(row.id, { ok: true, epoch: row.epoch + 1, newBoot: true });
    }
  }
  const heard = rows.filter((row) => !row.stale).map((row) => row.id);
  await sql`
    insert into node_presence (node_id, last_seen_at)
    select id, now() from unnest(${heard}::bigint[]) t(id) order by id
    on conflict (node_id) do update set last_seen_at = now(), missed = 0`.execute(tx);
  await sql`
    update node set alive = true, alive_reason = '', alive_changed_at = now()
    where id = any(${heard}::bigint[]) and not (id = any(${booted.map(({ id }) => id)}::bigint[]))
      and not alive and alive_hold is null`.execute(tx);
  await openEpochs(tx, booted);
  return answers;
};

/** One hello per node; the boot ids have been checked. A node that is not there has no answer. */
export const reportHellos = (
  db: Db,
  hellos: readonly HelloOptions[],
): Promise<ReadonlyMap<number, Hello>> => transaction(db, (tx) => sayAll(tx, hellos));
