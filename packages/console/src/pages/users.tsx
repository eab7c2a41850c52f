/** Who may sign in, and as what. */
import { session_link_create } from '@hostwright/api/nouns/session';
import {
  user_create,
  user_delete,
  user_list,
  user_patch,
  type User,
} from '@hostwright/api/nouns/user';
import type { AccessRole } from '@hostwright/api';
import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMe } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Card, Page } from '../ui/page.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { GrantsDialog } from '../users/grants-dialog.tsx';

const ROLES: readonly (readonly [AccessRole, string])[] = [
  ['viewer', 'sees everything, changes nothing'],
  ['operator', 'proposes, commits, retries, powers'],
  ['admin', 'users, settings and barclamps too'],
];

const NewUser = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, role, password] = [useId(), useId(), useId()];
  const create = useChange(
    (body: { name: string; role: AccessRole; password?: string }) => send(user_create, { body }),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.name} may sign in as ${made.role}`);
        onClose();
      },
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const secret = fieldText(form, 'password');
    create.mutate({
      name: fieldText(form, 'name'),
      role: fieldText(form, 'role') as AccessRole,
      ...(secret === '' ? {} : { password: secret }),
    });
  };
  return (
    <Dialog
      title="New user"
      onClose={onClose}
      footer={
        <button className="btn primary" form="new-user" disabled={create.isPending}>
          Create
        </button>
      }
    >
      <form id="new-user" className="stack" onSubmit={submit}>
        {create.error === null ? null : <Trouble error={create.error} />}
        <div className="field">
          <label htmlFor={name}>Name</label>
          <input id={name} className="input" name="name" required autoFocus autoComplete="off" />
        </div>
        <div className="field">
          <label htmlFor={role}>Role</label>
          <select id={role} className="select" name="role" defaultValue="operator">
            {ROLES.map(([value, meaning]) => (
              <option key={value} value={value}>
                {value}: {meaning}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={password}>Password</label>
          <input
            id={password}
            className="input"
            name="password"
            type="password"
            minLength={10}
            autoComplete="new-password"
          />
          <span className="hint">
            Empty: only a sign-in link lets them in. Otherwise at least 10 characters.
          </span>
        </div>
      </form>
    </Dialog>
  );
};

const UserRow = ({
  user,
  onLink,
}: {
  readonly user: User;
  readonly onLink: (url: string) => void;
}) => {
  const me = useMe();
  const self = me?.userId === user.id;
  const [granting, setGranting] = useState(false);
  const patch = useChange((body: { role?: AccessRole; disabled?: boolean }) =>
    send(user_patch, { params: { user: user.name }, body }),
  );
  const remove = useChange(() => send(user_delete, { params: { user: user.name } }), {
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
          disabled={self}
          onChange={(event) => patch.mutate({ role: event.target.value as AccessRole })}
        >
          {ROLES.map(([value]) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </select>
      </td>
      <td className="muted">
        {user.grants.map((grant) => `${grant.role} of ${grant.deployment}`).join(', ')}
      </td>
      <td className="faint">{user.hasPassword ? 'password' : 'link only'}</td>
      <td className="faint">
        <TimeAgo at={user.createdAt} />
      </td>
      <td>
        <span className="actions">
          <Menu
            label={`Actions for ${user.name}`}
            className="btn quiet icon small"
            button={<Icon name="more" />}
          >
            <button onClick={() => setGranting(true)}>
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
                <button className="danger" onClick={() => remove.mutate(undefined)}>
                  <Icon name="trash" /> Delete
                </button>
              </>
            )}
          </Menu>
          {granting ? <GrantsDialog user={user} onClose={() => setGranting(false)} /> : null}
        </span>
      </td>
    </tr>
  );
};

export const UsersPage = () => {
  useCrumbs({ label: 'Users' });
  const { data, error } = useQuery(reading(user_list, { query: { limit: 1000 } }));
  const [creating, setCreating] = useState(false);
  const [link, setLink] = useState<string>();
  return (
    <Page
      title="Users"
      lead="Viewers see, operators act, admins administer. A grant on a deployment raises the role there and below."
      actions={
        <button className="btn primary" onClick={() => setCreating(true)}>
          <Icon name="plus" /> New user
        </button>
      }
    >
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : (
        <Card flush>
          <div className="table-wrap" tabIndex={0} role="region" aria-label="Users">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Grants</th>
                  <th scope="col">Signs in by</th>
                  <th scope="col">Since</th>
                  <th scope="col">
                    <span className="sr-only">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.items.map((user) => (
                  <UserRow key={user.id} user={user} onLink={setLink} />
                ))}
              </tbody>
            </table>
          </div>
        </Card>
      )}
      {creating ? <NewUser onClose={() => setCreating(false)} /> : null}
      {link === undefined ? null : (
        <Dialog title="Sign-in link" onClose={() => setLink(undefined)}>
          <div className="stack">
            <p className="muted">
              Works once, for 15 minutes. Whoever has it is that user: send it by a safe way.
            </p>
            <CopyBox text={link} label="the link" />
          </div>
        </Dialog>
      )}
    </Page>
  );
};
