/** A real server over HTTPS with a database of its own, and runs made as the annealer would. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caFingerprint } from '@hostwright/agent';
import type { JsonObject } from '@hostwright/core';
import {
  type MasterKey,
  hashToken,
  masterKey,
  offerTask,
  sealBundle,
  transaction,
} from '@hostwright/engine';
import { makeBundle } from '@hostwright/jigs';
import { startServer, type StartedServer } from '@hostwright/server';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';

export interface Site {
  readonly database: TestDatabase;
  readonly master: MasterKey;
  readonly url: string;
  readonly fingerprint: string;
  readonly server: () => StartedServer;
  /** Agents whose poll is parked. */
  connected(): number;
  joinToken(uses?: number | null): Promise<string>;
  nodeNamed(name: string): Promise<number>;
  /** A run that waits for the node's agent to carry these scripts out. */
  offer(options: {
    readonly nodeId: number;
    readonly scripts: Readonly<Record<string, string>>;
    readonly attribs?: JsonObject;
    readonly secrets?: readonly string[];
    readonly lane?: 'host' | 'service';
    readonly timeoutSeconds?: number;
    readonly action?: 'run' | 'reboot';
  }): Promise<{ readonly runId: number; readonly token: number }>;
  evidence(runId: number): Promise<JsonObject | undefined>;
  logOf(runId: number): Promise<string>;
  endRun(runId: number, status?: 'fenced' | 'failed'): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const createSite = async (): Promise<Site> => {
  const database = await createTestDatabase();
  const { db } = database;
  const dataDir = mkdtempSync(join(tmpdir(), 'hostwright-site-'));
  const master = masterKey(randomBytes(32));
  const start = (port: number): Promise<StartedServer> =>
    startServer({ database, config: { dataDir, host: '127.0.0.1', port, master } });
  let server = await start(0);
  const { port } = server;
  const ca = server.context.tls?.caPem ?? '';
  await sql`insert into jig (name) values ('script') on conflict do nothing`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('t', '1', '/none', 'x')`.execute(
    db,
  );

  const offer: Site['offer'] = async (wanted) => {
    const lane = wanted.lane ?? 'host';
    const made = await sql<{ id: number; token: number }>`
      with r as (
        insert into role (barclamp_id, name, jig, lane)
        select id, ${`role-${randomBytes(6).toString('hex')}`}, 'script', ${lane} from barclamp where name = 't' returning id
      ), w as (
        insert into noderole (deployment_id, role_id, node_id, lane, state)
        select d.id, r.id, ${wanted.nodeId}, ${lane}, 'active' from r, deployment d where d.system returning id, role_id, deployment_id
      )
      insert into run (noderole_id, node_id, role_id, deployment_id, lane, jig, status, waiting_for, deadline_at)
      select w.id, ${wanted.nodeId}, w.role_id, w.deployment_id, ${lane}, 'script', 'waiting', 'agent-result', now() + interval '1 hour'
      from w returning id, token`.execute(db);
    const run = made.rows[0];
    if (run === undefined) throw new Error('no run was made');
    const tar = makeBundle({
      scripts: Object.entries(wanted.scripts).map(([name, text]) => ({
        name,
        content: Buffer.from(text),
      })),
      attribs: wanted.attribs ?? {},
      about: { RUN: String(run.id) },
    });
    const sealed = sealBundle(master, { runId: run.id, tar, secrets: wanted.secrets ?? [] });
    await transaction(db, (tx) =>
      offerTask(tx, {
        runId: run.id,
        token: run.token,
        nodeId: wanted.nodeId,
        lane,
        timeoutSeconds: wanted.timeoutSeconds ?? 60,
        action: wanted.action ?? 'run',
        ...sealed,
      }),
    );
    return { runId: run.id, token: run.token };
  };

  return {
    database,
    master,
    url: `https://127.0.0.1:${port}`,
    fingerprint: caFingerprint(ca),
    server: () => server,
    connected: () => server.agents.connected(),
    joinToken: async (uses = null) => {
      const token = `hwj_${randomBytes(24).toString('base64url')}`;
      await sql`insert into token (kind, hash, uses_left) values ('join', ${hashToken(token)}, ${uses})`.execute(
        db,
      );
      return token;
    },
    nodeNamed: async (name) => {
      const found = await sql<{ id: number }>`select id from node where name = ${name}`.execute(db);
      const id = found.rows[0]?.id;
      if (id === undefined) throw new Error(`there is no node ${name}`);
      return id;
    },
    offer,
    evidence: async (runId) => {
      const found = await sql<{ payload: JsonObject }>`
        select payload from evidence where run_id = ${runId} and key = 'agent-result'`.execute(db);
      if (found.rows.length > 1)
        throw new Error(`run ${runId} was reported ${found.rows.length} times`);
      return found.rows[0]?.payload;
    },
    logOf: async (runId) => {
      const found = await sql<{
        text: string;
      }>`select text from run_log where run_id = ${runId} order by seq`.execute(db);
      return found.rows.map(({ text }) => text).join('\n');
    },
    endRun: async (runId, status = 'fenced') => {
      await sql`update run set status = ${status}, ended_at = now() where id = ${runId}`.execute(
        db,
      );
    },
    restart: async () => {
      await server.close();
      server = await start(port);
    },
    close: async () => {
      await server.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
