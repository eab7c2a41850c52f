/** Which of rescue, reinstall and release make sense for a node as it is. */
import type { Db } from '@hostwright/engine';
import { sql } from 'kysely';
import { INSTALL_ROLE } from '../effect/foresee-install.ts';

export interface LifeAction {
  readonly action: 'rescue' | 'reinstall' | 'release';
  readonly description: string;
  readonly disruptive: boolean;
}

export const listLifeActions = async (db: Db, nodeId: number): Promise<readonly LifeAction[]> => {
  const { rows } = await sql<{
    admin: boolean;
    rescue: boolean;
    installed: boolean;
    bound: boolean;
  }>`
    select n.admin,
      exists (select 1 from boot_env e where e.name = 'rescue' and exists (select 1 from boot_file f where f.path = e.kernel)) as rescue,
      exists (select 1 from noderole w join role r on r.id = w.role_id where w.node_id = n.id and r.name = ${INSTALL_ROLE}
        and w.state in ('active', 'error') and not w.removing) as installed,
      exists (select 1 from noderole w join deployment d on d.id = w.deployment_id where w.node_id = n.id and not d.system)
        or exists (select 1 from allocation a where a.node_id = n.id and a.released_at is null) as bound
    from node n where n.id = ${nodeId}`.execute(db);
  const [node] = rows;
  if (node === undefined || node.admin) return [];
  return [
    ...(node.rescue
      ? [
          {
            action: 'rescue' as const,
            description: 'Boot the rescue system, once; no disk is written',
            disruptive: true,
          },
        ]
      : []),
    ...(node.installed
      ? [
          {
            action: 'reinstall' as const,
            description: 'Erase its disk and install its system again; needs the disks named',
            disruptive: true,
          },
        ]
      : []),
    ...(node.bound
      ? [
          {
            action: 'release' as const,
            description: 'Take its roles and addresses away, and erase it if asked',
            disruptive: true,
          },
        ]
      : []),
  ];
};
