import { ROLES, type AccessRole } from '@hostwright/api';
import { session_link_create } from '@hostwright/api/nouns/session';
import { user_delete, user_patch, type User } from '@hostwright/api/nouns/user';
import { useState } from 'react';
import { send, useChange } from '../session/client.ts';
import { useMe } from '../session/me.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { GrantsDialog } from './grants-dialog.tsx';

export const UserRow = ({
  user,
  onLink,
}: {
  readonly user: User;
  readonly onLink: (url: string) => void;
}) => {
  const self = useMe()?.userId === user.id;
  const [open, setOpen] = useState<'grants' | 'delete'>();
  const close = () => setOpen(undefined);
  const patch = useChange((body: { role?: AccessRole; disabled?: boolean }) =>
    send(user_patch, { params: { user: user.name }, body }),
  );
  const remove = useChange(() => send(user_delete, { params: { user: user.name } }), {
    quiet: true,
    onSuccess: () => say(`${user.name} deleted`),
  });
  const link = useChange(() => send(session_link_create, { body: { user: user.name } }), {
    onSuccess: (made) => onLink(made.url),
  });
  return (
    <tr>
      <td className="strong">
        {user.name} {self ? <span className="badge">you</span> : null}{' '}
        {user.disabled ? <span className="badge bad">disabled</span> : null}
      </td>
      <td>
        <select
          className="select small"
          aria-label={`Role of ${user.name}`}
          value={user.role}
          disabled={self || patch.isPending}
          onChange={(event) => {
            const role = ROLES.find((each) => each === event.target.value);
            if (role !== undefined) patch.mutate({ role });
          }}
        >
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {role}
            </option>
          ))}
        </select>
      </td>
      <td className="muted wide-only">
        {user.grants.map((grant) => `${grant.role} of ${grant.deployment}`).join(', ')}
      </td>
      <td className="faint wide-only">{user.hasPassword ? 'password' : 'link only'}</td>
      <td className="faint wide-only">
        <TimeAgo at={user.createdAt} />
      </td>
      <td>
        <span className="actions">
          <Menu
            label={`Actions for ${user.name}`}
            className="btn quiet icon small"
            button={<Icon name="more" />}
          >
            <button onClick={() => setOpen('grants')}>
              <Icon name="deployment" /> Grants on deployments
            </button>
            <button onClick={() => link.mutate(undefined)}>
              <Icon name="link" /> Make a sign-in link
            </button>
            {self ? null : (
              <>
                <button onClick={() => patch.mutate({ disabled: !user.disabled })}>
                  <Icon name="pause" /> {user.disabled ? 'Let in again' : 'Disable and sign out'}
                </button>
                <hr />
                <button className="danger" onClick={() => setOpen('delete')}>
                  <Icon name="trash" /> Delete
                </button>
              </>
            )}
          </Menu>
          {open === 'grants' ? <GrantsDialog user={user} onClose={close} /> : null}
          {open === 'delete' ? (
            <Confirm
              title={`Delete ${user.name}?`}
              action="Delete"
              change={remove}
              onConfirm={() => remove.mutate(undefined)}
              onClose={close}
            >
              <p className="muted">
                Their sessions and tokens end at once. What they did stays in the audit log. To keep
                them out for a while only, disable them instead.
              </p>
            </Confirm>
          ) : null}
        </span>
      </td>
    </tr>
  );
};
