/** Who did what, newest first. */
import { audit_list } from '@hostwright/api/nouns/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { fieldText } from '../form/read-form.ts';
import { send } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { MoreButton } from '../ui/more-button.tsx';

const FILTERS = [
  ['actor', 'Who'],
  ['action', 'Did what'],
  ['subject', 'To what'],
] as const;

export const AuditPage = () => {
  useCrumbs({ label: 'Audit' });
  const search = useSearch({ from: '/inside/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const entries = useInfiniteQuery({
    queryKey: [audit_list.id, search],
    queryFn: ({ pageParam }) =>
      send(audit_list, {
        query: { limit: 100, ...search, ...(pageParam === '' ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next ?? undefined,
  });
  return (
    <Page
      title="Audit"
      lead="Every change that a person, a program or a machine asked for, and by whom."
      actions={
        <form
          key={JSON.stringify(search)}
          className="row wrap"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const wanted = FILTERS.map(([key]) => [key, fieldText(form, key).trim()] as const);
            void navigate({ search: Object.fromEntries(wanted.filter(([, text]) => text !== '')) });
          }}
        >
          {FILTERS.map(([key, label]) => (
            <input
              key={key}
              className="input filter"
              name={key}
              aria-label={label}
              placeholder={label}
              defaultValue={search[key] ?? ''}
            />
          ))}
          <button className="btn">Filter</button>
        </form>
      }
    >
      <Loaded read={entries} lines={10}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Empty icon="audit" title="Nothing was found">
              {Object.keys(search).length === 0
                ? 'As soon as somebody changes something it is written here.'
                : 'Names must match whole; empty fields match everything.'}
            </Empty>
          ) : (
            <Card flush>
              <Table
                label="Audit log"
                compact
                headings={['When', 'Who', 'Did what', 'To what', { label: 'With', wide: true }]}
              >
                {items.map((entry) => (
                  <tr key={entry.id}>
                    <td className="faint">
                      <TimeAgo at={entry.at} />
                    </td>
                    <td className="strong nowrap">{entry.actor}</td>
                    <td className="mono nowrap">{entry.action}</td>
                    <td className="clip" title={entry.subject}>
                      {entry.subject}
                    </td>
                    <td className="mono faint clip wide-only" title={JSON.stringify(entry.detail)}>
                      {Object.keys(entry.detail).length === 0 ? '' : JSON.stringify(entry.detail)}
                    </td>
                  </tr>
                ))}
              </Table>
            </Card>
          );
        }}
      </Loaded>
      <MoreButton list={entries} />
    </Page>
  );
};
