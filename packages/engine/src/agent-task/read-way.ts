/** How a run's scripts can get to its node, and where they are: one read per run. */
import { HostwrightError, type JsonObject } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export interface SshHammer {
  readonly id: number;
  readonly revision: number;
  readonly endpoint: string;
  readonly username: string;
  readonly secret: string | null;
  readonly config: JsonObject;
}

export interface WayToNode {
  /** The barclamp's folder. */
  readonly folder: string;
  /** The node has joined: its agent holds a token. */
  readonly agent: boolean;
  /** The role may reboot the machine in mid-run. */
  readonly reboots: boolean;
  readonly ssh: SshHammer | null;
  /** The operator lets a host key that nobody has given be learned at first contact. */
  readonly trustFirstKey: boolean;
}

export const TRUST_FIRST_KEY = 'ssh.trust-first-key';

export const readWayToNode = async (
  db: Db,
  wanted: { readonly nodeId: number; readonly barclamp: string; readonly roleId: number },
): Promise<WayToNode> => {
  const found = await sql<WayToNode>`
    select b.source_path as folder,
      exists (select 1 from node_token t where t.node_id = ${wanted.nodeId}) as agent,
      exists (select 1 from role r where r.id = ${wanted.roleId} and r.reboots) as reboots,
      (select json_build_object('id', h.id, 'revision', h.revision, 'endpoint', h.endpoint, 'username', h.username,
         'secret', h.secret, 'config', h.config)
       from hammer h where h.node_id = ${wanted.nodeId} and h.kind = 'ssh') as ssh,
      coalesce((select s.value = 'true' from setting s where s.key = ${TRUST_FIRST_KEY}), false) as "trustFirstKey"
    from barclamp b where b.name = ${wanted.barclamp}`.execute(db);
  const way = found.rows[0];
  if (way === undefined)
    throw new HostwrightError('not_found', { message: `there is no barclamp ${wanted.barclamp}` });
  return way;
};

export const isFirstKeyTrusted = async (db: Db): Promise<boolean> => {
  const found = await sql<{ yes: boolean }>`
    select value = 'true' as yes from setting where key = ${TRUST_FIRST_KEY}`.execute(db);
  return found.rows[0]?.yes === true;
};

/** Whether what a run left on a machine must be ended: nobody goes on with it, or will. */
export const isRunOver = async (db: Db, runId: number): Promise<boolean> => {
  const found = await sql<{ status: string }>`select status from run where id = ${runId}`.execute(
    db,
  );
  const status = found.rows[0]?.status;
  return status !== 'running' && status !== 'waiting';
};
