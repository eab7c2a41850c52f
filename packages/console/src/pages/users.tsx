/** Who may sign in, and as what. */
import { user_list } from '@hostwright/api/nouns/user';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { NewUser } from '../users/new-user.tsx';
import { UserRow } from '../users/user-row.tsx';

export const UsersPage = () => {
  useCrumbs({ label: 'Users' });
  const users = useQuery(reading(user_list, { query: { limit: 1000 } }));
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
      <Loaded read={users}>
        {({ items }) => (
          <Card flush>
            <Table
              label="Users"
              headings={[
                'Name',
                'Role',
                { label: 'Grants', wide: true },
                { label: 'Signs in by', wide: true },
                { label: 'Since', wide: true },
                ACTIONS,
              ]}
            >
              {items.map((user) => (
                <UserRow key={user.id} user={user} onLink={setLink} />
              ))}
            </Table>
          </Card>
        )}
      </Loaded>
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
