/** Nodes with ssh hammers, roles with scripts, noderoles that are to run: what a worker finds. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createNode,
  masterKey,
  putHammer,
  putSecret,
  reportHello,
  type MasterKey,
} from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import { sql } from 'kysely';
import type { Sshd } from './sshd.ts';

/** What the jig reads over SSH too: another one would be a reboot. */
const BOOT_ID = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

export interface Run {
  readonly id: number;
  readonly status: string;
  readonly error: string | null;
}

export interface ScriptSite {
  readonly database: TestDatabase;
  readonly master: MasterKey;
  readonly folder: string;
  node(sshd: Sshd, config?: Record<string, string | string[] | boolean>): Promise<number>;
  /** A noderole in todo whose role has these scripts. Gives its id. */
  todo(options: {
    readonly nodeId: number;
    readonly scripts: Readonly<Record<string, string>>;
    readonly deadlineSeconds?: number;
  }): Promise<number>;
  again(noderoleId: number): Promise<void>;
  runOf(noderoleId: number): Promise<Run | undefined>;
  logOf(noderoleId: number): Promise<string>;
  wallOf(noderoleId: number): Promise<unknown>;
  close(): Promise<void>;
}

export const createScriptSite = async (): Promise<ScriptSite> => {
  const database = await createTestDatabase();
  const { db } = database;
  const master = masterKey(randomBytes(32));
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-barclamp-'));
  await sql`insert into jig (name) values ('script') on conflict do nothing`.execute(db);
  await sql`insert into barclamp (name, version, source_path, content_hash) values ('t', '1', ${folder}, 'x')`.execute(
    db,
  );
  return {
    database,
    master,
    folder,
    node: async (sshd, config) => {
      const name = `n-${randomBytes(4).toString('hex')}`;
      const made = await createNode(db, { name, actor: 'test' });
      if (!made.ok) throw new Error(JSON.stringify(made.refusals));
      await putSecret(db, { name: `ssh/${name}`, value: sshd.userKey, master, actor: 'test' });
      const hammer = await putHammer(db, {
        node: name,
        kind: 'ssh',
        endpoint: `127.0.0.1:${sshd.port}`,
        username: sshd.username,
        secret: `ssh/${name}`,
        config: config ?? { hostKeys: [sshd.hostKey] },
        actor: 'test',
      });
      if (!hammer.ok) throw new Error(JSON.stringify(hammer.refusals));
      await reportHello(db, { nodeId: made.node.id, bootId: BOOT_ID });
      return made.node.id;
    },
    todo: async ({ nodeId, scripts, deadlineSeconds = 60 }) => {
      const role = `role-${randomBytes(6).toString('hex')}`;
      mkdirSync(join(folder, 'scripts', role), { recursive: true });
      for (const [name, text] of Object.entries(scripts)) {
        writeFileSync(join(folder, 'scripts', role, name), text);
        chmodSync(join(folder, 'scripts', role, name), 0o755);
      }
      const made = await sql<{ id: number }>`
        with r as (
          insert into role (barclamp_id, name, jig, deadline_seconds)
          select id, ${role}, 'script', ${deadlineSeconds} from barclamp where name = 't' returning id
        )
        insert into noderole (deployment_id, role_id, node_id, lane, state)
        select d.id, r.id, ${nodeId}, 'host', 'todo' from r, deployment d where d.system returning id`.execute(
        db,
      );
      return made.rows[0]?.id ?? 0;
    },
    again: async (noderoleId) => {
      await sql`update noderole set state = 'todo', run_id = null where id = ${noderoleId}`.execute(
        db,
      );
    },
    runOf: async (noderoleId) => {
      const found = await sql<Run>`
        select id, status, error from run where noderole_id = ${noderoleId} order by id desc limit 1`.execute(
        db,
      );
      return found.rows[0];
    },
    logOf: async (noderoleId) => {
      const found = await sql<{ text: string }>`
        select l.text from run_log l join run r on r.id = l.run_id
        where r.noderole_id = ${noderoleId} and l.stream <> 'jig' order by r.id, l.seq`.execute(db);
      return found.rows.map(({ text }) => text).join('\n');
    },
    wallOf: async (noderoleId) => {
      const found = await sql<{ wall: unknown }>`
        select wall from noderole where id = ${noderoleId}`.execute(db);
      return found.rows[0]?.wall;
    },
    close: async () => {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
