/** Boot environments, and whether what they boot, and what its command line makes it fetch, is there to be served. */
import { HostwrightError } from '@hostwright/core';
import type { Db, Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { envFiles } from './env-files.ts';

export interface EnvView {
  readonly name: string;
  readonly kind: 'local' | 'discovery' | 'install' | 'rescue' | 'memtest';
  readonly description: string;
  readonly kernel: string;
  readonly initrds: readonly string[];
  readonly cmdline: string;
  readonly os: string | null;
  readonly bootable: boolean;
  readonly missing: readonly string[];
  readonly nodes: number;
}

export const listBootEnvs = async (db: Db | Tx, name?: string): Promise<readonly EnvView[]> => {
  const { rows } = await sql<EnvView>`
    select e.name, e.kind, e.description, e.kernel, e.initrds, e.cmdline, e.os_template as os,
      cardinality(m.missing) = 0 as bootable, m.missing,
      (select count(*)::int from node n where n.bootenv = e.name and n.deleted_at is null) as nodes
    from boot_env e cross join lateral (
      select array(select distinct f.path from unnest${envFiles} f(path)
        where f.path <> '' and not exists (select 1 from boot_file b where b.path = f.path) order by 1) as missing) m
    where ${name ?? null}::text is null or e.name = ${name ?? null}::text
    order by array_position(array['local', 'discovery', 'rescue', 'memtest', 'install'], e.kind), e.name`.execute(
    db,
  );
  return rows;
};

export const needBootEnv = async (db: Db, name: string): Promise<EnvView> => {
  const [env] = await listBootEnvs(db, name);
  if (env === undefined)
    throw new HostwrightError('not_found', { message: `there is no boot environment ${name}` });
  return env;
};
