/** Take a role into the deployment before any node has it. Milestones are offered first. */
import type { Deployment } from '@hostwright/api/nouns/deployment';
import { role_list, type Role } from '@hostwright/api/nouns/role';
import { snapshot_role_put } from '@hostwright/api/nouns/snapshot-edit';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { say } from '../ui/toast.tsx';
import { useDrag } from './drag.tsx';
import { inProposal } from './proposal.ts';

const milestonesFirst = (roles: readonly Role[]): readonly Role[] =>
  [...roles].sort(
    (a, b) =>
      Number(b.flags.includes('milestone')) - Number(a.flags.includes('milestone')) ||
      a.name.localeCompare(b.name),
  );

export const useOfferedRoles = (): readonly Role[] => {
  const { data } = useQuery(reading(role_list, { query: { offered: true, limit: 1000 } }));
  // discovery and bootstrap roles bind themselves
  const bound = (role: Role) =>
    role.flags.includes('discovery') || role.flags.includes('bootstrap');
  return milestonesFirst(data?.items.filter((role) => !bound(role)) ?? []);
};

/** Roles as cards: click one, or drop nodes on it. */
export const RoleCards = (props: {
  readonly roles: readonly Role[];
  readonly onChoose: (role: string) => void;
}) => {
  const drag = useDrag();
  return (
    <div className="role-cards">
      {props.roles.map((role) => {
        const verdict = drag.dragging === undefined ? undefined : drag.verdictOf(role.name);
        const says = verdict === undefined ? undefined : verdict.accepts ? 'accepts' : 'refuses';
        return (
          <button
            key={role.id}
            className="role-card"
            data-drop-role={role.name}
            data-says={says}
            data-over={drag.dragging?.over === role.name}
            onClick={() => props.onChoose(role.name)}
          >
            <h3>
              {role.flags.includes('milestone') ? (
                <span className="milestone" title="milestone" />
              ) : null}
              {role.name}
            </h3>
            <p>{role.description === '' ? `from ${role.barclamp}` : role.description}</p>
          </button>
        );
      })}
    </div>
  );
};

export const useAddRole = (deployment: Deployment) =>
  useChange(
    (role: string) =>
      inProposal(deployment, (snapshot) =>
        send(snapshot_role_put, { params: { snapshot, role }, body: {} }),
      ),
    { onSuccess: (_, role) => say(`${role} is in the proposal`, 'Now give it nodes.') },
  );

export const AddRoleDialog = (props: {
  readonly deployment: Deployment;
  readonly have: ReadonlySet<string>;
  readonly onClose: () => void;
}) => {
  const [search, setSearch] = useState('');
  const add = useAddRole(props.deployment);
  const roles = useOfferedRoles().filter(
    (role) => !props.have.has(role.name) && role.name.includes(search.trim().toLowerCase()),
  );
  return (
    <Dialog title={`Add a role to ${props.deployment.name}`} wide onClose={props.onClose}>
      <div className="stack">
        <input
          className="input"
          type="search"
          aria-label="Search roles"
          placeholder="Search roles"
          autoFocus
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {roles.length === 0 ? (
          <Empty icon="role" title="No further role">
            All offered roles are taken in, or none matches.
          </Empty>
        ) : null}
        <RoleCards
          roles={roles}
          onChoose={(role) => {
            add.mutate(role);
            props.onClose();
          }}
        />
      </div>
    </Dialog>
  );
};
