/** A small world for the planner's tests: jigs, a barclamp written as a value, nodes by name. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  bindRoles,
  commitSnapshot,
  createDeployment,
  createNodes,
  importBarclamp,
  proposeSnapshot,
  type BindingRequest,
  type CommitAnswer,
  type Db,
  type DeploymentRecord,
  type ImportReport,
  type SnapshotRecord,
} from '@hostwright/engine';
import type { NoderoleState } from '@hostwright/core';
import { sql } from 'kysely';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';

export const ACTOR = 'anna';

export interface TestRole {
  readonly name: string;
  readonly jig?: string;
  readonly [key: string]: unknown;
}

export const writeBarclamp = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hostwright-barclamp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
};

/** An empty world again: a tenth of the time of a new database. */
export const clear = async (db: Db): Promise<void> => {
  for (const statement of [
    'update noderole set run_id = null where run_id is not null',
    'delete from noderole',
    'delete from snapshot',
    'delete from binding',
    'delete from node',
    'delete from deployment_role',
    'delete from deployment_data',
    // children first, however deep
    `do $$ begin
      while exists (select from deployment where not system) loop
        delete from deployment d where not system and not exists (select from deployment c where c.parent_id = d.id);
      end loop;
    end $$`,
    'delete from attrib',
    'delete from role',
    'delete from barclamp',
    'delete from event',
  ])
    await sql.raw(statement).execute(db);
};

export const addJigs = async (db: Db): Promise<void> => {
  await sql`insert into jig (name) values ('noop'), ('test'), ('script') on conflict do nothing`.execute(
    db,
  );
};

export const importRoles = async (
  db: Db,
  roles: readonly TestRole[],
  barclamp: { readonly name?: string; readonly [key: string]: unknown } = {},
): Promise<ImportReport> => {
  await addJigs(db);
  const folder = writeBarclamp({
    'barclamp.yml': stringify({
      name: 'test',
      version: '1',
      ...barclamp,
      roles: roles.map((role) => ({ jig: 'noop', ...role })),
    }),
  });
  return importBarclamp(db, { folder, actor: ACTOR });
};

export const addNodes = async (
  db: Db,
  names: readonly string[],
  more: { readonly admin?: boolean; readonly deployment?: string } = {},
): Promise<number[]> => {
  const created = await createNodes(db, {
    nodes: names.map((name) => ({ name, ...more })),
    actor: ACTOR,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  return created.nodes.map((node) => node.id);
};

export const addDeployment = (db: Db, name: string, parentId?: number): Promise<DeploymentRecord> =>
  createDeployment(db, { name, parentId, actor: ACTOR });

export const propose = (db: Db, deploymentId: number): Promise<SnapshotRecord> =>
  proposeSnapshot(db, { deploymentId, actor: ACTOR });

/** Binds `role@node` pairs in a new proposal and commits it. */
export const deploy = async (
  db: Db,
  deploymentId: number,
  pairs: readonly string[],
): Promise<CommitAnswer> => {
  const snapshot = await propose(db, deploymentId);
  const answer = await bindRoles(db, {
    snapshotId: snapshot.id,
    actor: ACTOR,
    bindings: pairs.map(asBinding),
  });
  if (answer.refusals.length > 0) throw new Error(JSON.stringify(answer.refusals));
  return commitSnapshot(db, { snapshotId: snapshot.id, actor: ACTOR });
};

export const asBinding = (pair: string): BindingRequest => {
  const [role = '', node = ''] = pair.split('@');
  return { role, node };
};

export interface SeenNoderole {
  readonly id: number;
  readonly state: NoderoleState;
  readonly pending: number;
  readonly cohort: number;
  readonly holds: string[];
  readonly parents: string[];
  readonly deployment: string;
  readonly drifted: boolean;
}

/** Noderoles by `role@node`. */
export const seeNoderoles = async (db: Db): Promise<Record<string, SeenNoderole>> => {
  const { rows } = await sql<SeenNoderole & { name: string }>`
    select w.id, r.name || '@' || n.name as name, w.state, w.pending, w.cohort, w.holds, d.name as deployment, w.drifted,
      array(select pr.name || '@' || pn.name || case when e.soft then '~' else '' end from edge e join noderole p on p.id = e.parent_id
        join role pr on pr.id = p.role_id join node pn on pn.id = p.node_id where e.child_id = w.id order by 1) as parents
    from noderole w join role r on r.id = w.role_id join node n on n.id = w.node_id join deployment d on d.id = w.deployment_id
    order by 2`.execute(db);
  return Object.fromEntries(rows.map(({ name, ...noderole }) => [name, noderole]));
};

/** As if a run had ended well: what the annealer does, cut down to the states. */
export const makeActive = async (db: Db, pairs: readonly string[]): Promise<void> => {
  const seen = await seeNoderoles(db);
  const { resolveInputs } = await import('@hostwright/engine');
  for (const pair of pairs) {
    const noderole = seen[pair];
    if (noderole === undefined) throw new Error(`there is no ${pair}`);
    const inputs = await resolveInputs(db, [noderole.id]);
    await sql`update noderole set state = 'transition', run_id = 0 where id = ${noderole.id}`.execute(
      db,
    );
    await sql`
      update noderole set state = 'active', run_id = null, run_count = run_count + 1, input_hash = ${inputs.get(noderole.id)?.inputHash ?? ''}
      where id = ${noderole.id}`.execute(db);
    await sql`
      update noderole c set pending = pending - 1, state = case when c.pending = 1 and c.state = 'blocked' then 'todo' else c.state end
      from edge e where e.parent_id = ${noderole.id} and not e.soft and c.id = e.child_id`.execute(
      db,
    );
  }
};
