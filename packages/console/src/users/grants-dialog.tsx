/** What a user may do in single deployments and below them. */
import { ROLES, type AccessRole } from '@hostwright/api';
import { user_grants, type User } from '@hostwright/api/nouns/user';
import { useState } from 'react';
import { indentOf, inTreeOrder, useDeployments } from '../deployment/tree-order.ts';
import { send, useChange } from '../session/client.ts';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { say } from '../ui/toast.tsx';

export const GrantsDialog = ({
  user,
  onClose,
}: {
  readonly user: User;
  readonly onClose: () => void;
}) => {
  const { data } = useDeployments();
  const [grants, setGrants] = useState<ReadonlyMap<string, AccessRole>>(
    new Map(user.grants.map((grant) => [grant.deployment, grant.role])),
  );
  const save = useChange(
    () =>
      send(user_grants, {
        params: { user: user.name },
        body: { grants: [...grants].map(([deployment, role]) => ({ deployment, role })) },
      }),
    {
      quiet: true,
      onSuccess: () => {
        say('Grants kept', user.name);
        onClose();
      },
    },
  );
  const set = (deployment: string, role: string) => {
    const next = new Map(grants);
    if (role === '') next.delete(deployment);
    else next.set(deployment, role as AccessRole);
    setGrants(next);
  };
  return (
    <Dialog
      title={`Grants of ${user.name}`}
      onClose={onClose}
      footer={
        <button
          className="btn primary"
          onClick={() => save.mutate(undefined)}
          disabled={save.isPending}
        >
          Save
        </button>
      }
    >
      <div className="stack">
        {save.error === null ? null : <Trouble error={save.error} />}
        <p className="muted">
          Everywhere: {user.role}. A grant raises that in a deployment and in all below it.
        </p>
        {inTreeOrder(data?.items ?? []).map((deployment) => (
          <label
            key={deployment.id}
            className="row"
            style={{ paddingLeft: indentOf(deployment, 16) }}
          >
            <span className="grow truncate">{deployment.name}</span>
            <select
              className="select small"
              value={grants.get(deployment.name) ?? ''}
              onChange={(event) => set(deployment.name, event.target.value)}
            >
              <option value="">as everywhere</option>
              {ROLES.map((role) => (
                <option key={role} value={role}>
                  {role}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </Dialog>
  );
};
