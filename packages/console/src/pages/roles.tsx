import { role_list, type Role } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { DataTable, type Column } from '../ui/data-table.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';

const COLUMNS: Column<Role>[] = [
  {
    id: 'name',
    header: 'Role',
    accessorFn: (role) => role.name,
    cell: ({ row: { original: role } }) => (
      <span className="row">
        {role.flags.includes('milestone') ? <span className="milestone" title="milestone" /> : null}
        <Link className="strong nowrap" to="/roles/$role" params={{ role: role.name }}>
          {role.name}
        </Link>
      </span>
    ),
  },
  {
    id: 'description',
    header: 'What it does',
    enableSorting: false,
    accessorFn: (role) => role.description,
    cell: ({ row }) => <span className="muted prose">{row.original.description}</span>,
  },
  {
    id: 'barclamp',
    header: 'Barclamp',
    accessorFn: (role) => role.barclamp,
    cell: ({ row }) => (
      <Link to="/barclamps/$barclamp" params={{ barclamp: row.original.barclamp }}>
        {row.original.barclamp}
      </Link>
    ),
  },
  { id: 'jig', header: 'Jig', accessorFn: (role) => role.jig },
  {
    id: 'flags',
    header: 'Flags',
    enableSorting: false,
    accessorFn: (role) => role.flags.join(' '),
    cell: ({ row }) => (
      <span className="row wrap tight">
        {row.original.flags.map((flag) => (
          <span key={flag} className={flag === 'destructive' ? 'badge warn' : 'badge'}>
            {flag}
          </span>
        ))}
      </span>
    ),
  },
  {
    id: 'noderoles',
    header: 'Noderoles',
    accessorFn: (role) => role.noderoles,
    cell: ({ row }) => <span className="num">{row.original.noderoles.toLocaleString('en')}</span>,
  },
];

export const RolesPage = () => {
  useCrumbs({ label: 'Roles' });
  const { q = '' } = useSearch({ from: '/inside/roles' });
  const navigate = useNavigate({ from: '/roles' });
  const { data, error } = useQuery(reading(role_list, { query: { limit: 1000, sort: 'name' } }));
  const found = data?.items.filter(
    (role) =>
      !role.removed &&
      `${role.name} ${role.description} ${role.barclamp}`.toLowerCase().includes(q.toLowerCase()),
  );
  return (
    <Page
      title="Roles"
      lead="A role is a unit of work or of purpose, from a barclamp. Bound to a node it becomes a noderole."
      actions={
        <input
          className="input"
          type="search"
          aria-label="Search roles"
          placeholder="Search roles"
          value={q}
          onChange={(event) =>
            void navigate({
              search: event.target.value === '' ? {} : { q: event.target.value },
              replace: true,
            })
          }
        />
      }
    >
      <Loaded read={{ data: found, error }}>
        {(rows) => (
          <Card flush>
            <DataTable
              label="Roles"
              columns={COLUMNS}
              rows={rows}
              rowId={(role) => String(role.id)}
              empty={
                <Empty icon="role" title="No role matches">
                  Roles come with barclamps: <code>hostwright barclamp import FOLDER</code>
                </Empty>
              }
            />
          </Card>
        )}
      </Loaded>
    </Page>
  );
};
