/** Runs for the API, newest first. */
import {
  HostwrightError,
  type JsonObject,
  type Lane,
  type RunKind,
  type RunStatus,
} from '@hostwright/core';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { nodesOf } from '../noderole/nodes-of.ts';
import type { Page, PageWish } from '../page/cursor.ts';
import { listById, refsTo } from '../page/list-by-id.ts';

export interface RunView {
  readonly id: number;
  readonly noderoleId: number;
  readonly nodeId: number;
  readonly node: string;
  readonly roleId: number;
  readonly role: string;
  readonly deploymentId: number;
  readonly deployment: string;
  readonly lane: Lane;
  readonly jig: string;
  readonly kind: RunKind;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly worker: string | null;
  readonly bootEpoch: number;
  readonly deadlineAt: Date | null;
  readonly expectsReboot: boolean;
  readonly waitingFor: string | null;
  readonly cause: string;
  readonly error: string | null;
  readonly blame: 'node' | 'content' | 'us' | 'operator' | null;
  readonly retryable: boolean | null;
  readonly logLines: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface RunFilter {
  readonly status?: readonly RunStatus[] | undefined;
  readonly kind?: readonly RunKind[] | undefined;
  readonly node?: readonly string[] | undefined;
  readonly role?: readonly string[] | undefined;
  readonly deployment?: readonly string[] | undefined;
  readonly noderole?: number | undefined;
  readonly live?: boolean | undefined;
}

// Deployments may be gone while their runs are kept: then the id stands for the name.
const COLUMNS = sql`x.id, x.noderole_id as "noderoleId", x.node_id as "nodeId", coalesce(n.name, x.node_id::text) as node,
  x.role_id as "roleId", coalesce(r.name, x.role_id::text) as role, x.deployment_id as "deploymentId",
  coalesce(d.name, x.deployment_id::text) as deployment, x.lane, x.jig, x.kind, x.status, x.attempt, w.name as worker,
  x.boot_epoch as "bootEpoch", x.deadline_at as "deadlineAt", x.expects_reboot as "expectsReboot",
  x.waiting_for as "waitingFor", x.cause, x.error, x.blame, x.retryable, x.log_lines as "logLines",
  x.created_at as "createdAt", x.started_at as "startedAt", x.ended_at as "endedAt"`;
const FROM = sql`run x left join node n on n.id = x.node_id left join role r on r.id = x.role_id
  left join deployment d on d.id = x.deployment_id left join worker w on w.id = x.worker_id`;

// written out, so that the partial indexes on these statuses are used
const statuses = (list: readonly RunStatus[]) =>
  sql`x.status in (${sql.join(list.map((status) => sql.lit(status)))})`;

export const listRuns = (
  db: Db | Tx,
  wish: PageWish & { readonly filter: RunFilter },
): Promise<Page<RunView>> => {
  const { filter } = wish;
  const where: RawBuilder<unknown>[] = [];
  if (filter.status !== undefined) where.push(statuses(filter.status));
  if (filter.live === true) where.push(statuses(['running', 'waiting', 'cancelling']));
  if (filter.live === false)
    where.push(statuses(['queued', 'succeeded', 'failed', 'cancelled', 'fenced']));
  if (filter.kind !== undefined) where.push(sql`x.kind = any(${filter.kind})`);
  if (filter.node !== undefined) where.push(sql`x.node_id = ${refsTo('node', filter.node)}`);
  if (filter.role !== undefined) where.push(sql`x.role_id = ${refsTo('role', filter.role)}`);
  if (filter.deployment !== undefined)
    where.push(sql`x.deployment_id = ${refsTo('deployment', filter.deployment)}`);
  if (filter.noderole !== undefined)
    where.push(
      sql`x.noderole_id = ${filter.noderole}`,
      sql`x.node_id = any(array(${nodesOf([filter.noderole])}))`,
    );
  return listById<RunView>(db, {
    name: 'run',
    columns: COLUMNS,
    from: FROM,
    id: sql`x.id`,
    where,
    wish,
  });
};

export const readRunView = async (
  db: Db | Tx,
  id: number,
): Promise<RunView & { readonly attribs: JsonObject | null }> => {
  const { rows } = await sql<RunView & { attribs: JsonObject | null }>`
    select ${COLUMNS}, f.attribs from ${FROM} left join frozen_attribs f on f.hash = x.attribs_hash
    where x.id = ${id}`.execute(db);
  if (rows[0] === undefined)
    throw new HostwrightError('not_found', { message: `there is no run ${id}` });
  return rows[0];
};
