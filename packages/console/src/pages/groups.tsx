/** Groups of nodes: named sets a person made, beside labels that machines carry. */
import { group_create, group_list } from '@hostwright/api/nouns/group';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldText } from '../form/read-form.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { say } from '../ui/toast.tsx';

const NewGroup = ({ onClose }: { readonly onClose: () => void }) => {
  const create = useChange(
    (body: { name: string; category?: string; description: string }) =>
      send(group_create, { body }),
    {
      quiet: true,
      onSuccess: (made) => {
        say(`${made.name} made`, 'Open it to put nodes in.');
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="New group"
      action="Create"
      change={create}
      onClose={onClose}
      onSubmit={(form) => {
        const category = fieldText(form, 'category');
        create.mutate({
          name: fieldText(form, 'name'),
          description: fieldText(form, 'description'),
          ...(category === '' ? {} : { category }),
        });
      }}
    >
      <TextField label="Name" name="name" required autoFocus />
      <TextField
        label="Category"
        name="category"
        placeholder="rack, room, tier"
        hint="What kind of group it is; empty: ui."
      />
      <TextField label="What for" name="description" />
    </FormDialog>
  );
};

export const GroupsPage = () => {
  useCrumbs({ label: 'Groups' });
  const groups = useQuery(reading(group_list, {}));
  const may = useMay('operator');
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title="Groups"
      lead="A group is a set of nodes that a person put together: a rack, a room, the machines of a change."
      actions={
        may ? (
          <button className="btn primary" onClick={() => setCreating(true)}>
            <Icon name="plus" /> New group
          </button>
        ) : undefined
      }
    >
      <Loaded read={groups}>
        {({ items }) => (
          <Card flush>
            {items.length === 0 ? (
              <Empty icon="group" title="No groups">
                Machines that belong together can be put into a group and found by it.
              </Empty>
            ) : (
              <Table
                label="Groups"
                headings={['Name', 'Category', 'What for', { label: 'Nodes', end: true }]}
              >
                {items.map((group) => (
                  <tr key={group.id}>
                    <td>
                      <Link className="strong" to="/groups/$group" params={{ group: group.name }}>
                        {group.name}
                      </Link>
                    </td>
                    <td>
                      <span className="badge">{group.category}</span>
                    </td>
                    <td className="muted prose">{group.description}</td>
                    <td className="end">{group.members}</td>
                  </tr>
                ))}
              </Table>
            )}
          </Card>
        )}
      </Loaded>
      {creating ? <NewGroup onClose={() => setCreating(false)} /> : null}
    </Page>
  );
};
