/** One group: its nodes, and who comes in or goes out. */
import { group_delete, group_get, group_members } from '@hostwright/api/nouns/group';
import { node_list } from '@hostwright/api/nouns/node';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { fieldText } from '../form/read-form.ts';
import { NodeNames } from '../node/node-names.tsx';
import { reading, send, unchanged, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { ConfirmDelete } from '../ui/confirm-delete.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded, LoadingPage } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { State } from '../ui/state.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';

const AddNodes = ({
  group,
  members,
}: {
  readonly group: string;
  readonly members: readonly string[];
}) => {
  const list = useId();
  const [text, setText] = useState('');
  const add = useChange(
    (node: string) => send(group_members, { params: { group }, body: { add: [node] } }),
    { onSuccess: () => setText('') },
  );
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        const name = fieldText(new FormData(event.currentTarget), 'node').trim();
        if (name !== '' && !add.isPending) add.mutate(name);
      }}
    >
      <input
        className="input small"
        name="node"
        list={list}
        aria-label="Node to add"
        placeholder="Name of a node"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <NodeNames id={list} containing={text} except={members} />
      <button className="btn small" disabled={add.isPending}>
        <Icon name="plus" /> Add
      </button>
    </form>
  );
};

export const GroupPage = () => {
  const { group: name } = useParams({ from: '/inside/groups/$group' });
  const { data, error } = useQuery(reading(group_get, { params: { group: name } }));
  const nodes = useQuery(reading(node_list, { query: { group: name, limit: 1000, sort: 'name' } }));
  const may = useMay('operator');
  const [deleting, setDeleting] = useState(false);
  useCrumbs({ label: 'Groups', to: '/groups' }, { label: name });
  const takeOut = useChange((node: string) =>
    send(group_members, { params: { group: name }, body: { remove: [node] } }),
  );
  if (data === undefined) return <LoadingPage error={error} />;
  return (
    <Page
      title={
        <>
          {data.name} <span className="badge">{data.category}</span>
        </>
      }
      lead={data.description}
      actions={
        may ? (
          <button className="btn danger" onClick={() => setDeleting(true)}>
            <Icon name="trash" /> Delete
          </button>
        ) : undefined
      }
    >
      <Loaded read={nodes}>
        {({ items }) => (
          <Card
            title="Nodes"
            flush
            extra={
              may ? <AddNodes group={name} members={items.map((node) => node.name)} /> : undefined
            }
          >
            {items.length === 0 ? (
              <Empty icon="node" title="No node is in it yet">
                Type the name of a node above to put it in.
              </Empty>
            ) : (
              <Table
                label="Nodes of the group"
                headings={['Node', 'State', 'Deployment', ...(may ? [ACTIONS] : [])]}
              >
                {items.map((node) => (
                  <tr key={node.id}>
                    <td>
                      <Link className="strong" to="/nodes/$node" params={{ node: node.name }}>
                        {node.name}
                      </Link>
                    </td>
                    <td>
                      <State look={node.alive ? node.rollup : 'down'} />
                    </td>
                    <td>
                      <Link to="/deployments/$deployment" params={{ deployment: node.deployment }}>
                        {node.deployment}
                      </Link>
                    </td>
                    {may ? (
                      <td>
                        <span className="actions">
                          <button
                            className="btn quiet small"
                            aria-label={`Take out ${node.name}`}
                            disabled={takeOut.isPending}
                            onClick={() => takeOut.mutate(node.name)}
                          >
                            Take out
                          </button>
                        </span>
                      </td>
                    ) : null}
                  </tr>
                ))}
              </Table>
            )}
          </Card>
        )}
      </Loaded>
      {deleting ? (
        <ConfirmDelete
          name={name}
          remove={() => send(group_delete, { params: { group: name } }, unchanged(data))}
          list="/groups"
          note="Its nodes stay."
          onClose={() => setDeleting(false)}
        >
          Its nodes stay as they are; only the group goes.
        </ConfirmDelete>
      ) : null}
    </Page>
  );
};
