/** The runs themselves, by what became of them. */
import type { Annealer } from '@hostwright/api/nouns/annealer';
import { deployment_list } from '@hostwright/api/nouns/deployment';
import { noderole_retry_bulk } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RunTable } from '../run/run-table.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card } from '../ui/page.tsx';
import { TAB } from '../ui/tab-link.ts';
import { say } from '../ui/toast.tsx';
import { plural } from '../ui/words.ts';
import { MoreButton } from '../ui/more-button.tsx';

export const SHOWN = {
  running: {
    label: 'Running',
    query: { status: 'running,cancelling' },
    empty: 'Nothing is running now.',
  },
  waiting: { label: 'Waiting', query: { status: 'waiting' }, empty: 'No run waits for evidence.' },
  queued: { label: 'Queued', query: { status: 'queued' }, empty: 'Nothing is queued.' },
  failed: {
    label: 'Failed',
    query: { status: 'failed' },
    empty: 'Nothing failed. Long may it last.',
  },
  all: { label: 'All', query: {}, empty: 'Nothing has run yet.' },
} as const;
export type Shown = keyof typeof SHOWN;

const RetryAll = () => {
  const may = useMay('operator');
  const { data } = useQuery(reading(deployment_list, {}));
  const failing = data?.items.filter((each) => each.noderoles.error > 0) ?? [];
  const retry = useChange(
    async (names: readonly string[]) => {
      const answers = await Promise.all(
        names.map((deployment) => send(noderole_retry_bulk, { body: { deployment } })),
      );
      return answers.reduce((sum, answer) => sum + answer.ok, 0);
    },
    { onSuccess: (count) => say(`${plural(count, 'noderole')} will run again`) },
  );
  if (!may || failing.length === 0) return null;
  return (
    <button
      className="btn small"
      onClick={() => retry.mutate(failing.map((each) => each.name))}
      disabled={retry.isPending}
    >
      <Icon name="retry" /> Retry all failed
    </button>
  );
};

export const Runs = ({
  shown,
  annealer,
}: {
  readonly shown: Shown;
  readonly annealer: Annealer;
}) => {
  const runs = useInfiniteQuery({
    queryKey: [run_list.id, shown],
    queryFn: ({ pageParam }) =>
      send(run_list, {
        query: {
          ...SHOWN[shown].query,
          limit: 100,
          ...(pageParam === '' ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Card flush>
      <div className="row tab-header">
        <nav className="tabs grow" aria-label="Which runs">
          {(Object.keys(SHOWN) as Shown[]).map((key) => (
            <Link
              key={key}
              to="/annealer"
              search={{ show: key === 'running' ? undefined : key }}
              activeOptions={TAB}
            >
              {SHOWN[key].label}
              {key === 'all' ? null : <span className="count">{annealer.runs[key] ?? 0}</span>}
            </Link>
          ))}
        </nav>
        <RetryAll />
      </div>
      <Loaded read={runs}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Empty icon="annealer" title={SHOWN[shown].empty} />
          ) : (
            <RunTable runs={items} />
          );
        }}
      </Loaded>
      <MoreButton list={runs} />
    </Card>
  );
};
