/** What happened, newest first, as it happens. */
import { event_list, type Event } from '@hostwright/api/nouns/event';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { EventTable } from '../events/event-table.tsx';
import { useFeed } from '../live/context.ts';
import { send } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { Card, Page } from '../ui/page.tsx';
import { MoreButton } from '../ui/more-button.tsx';

const KINDS = {
  '': 'everything',
  'noderole.*': 'noderoles',
  'run.*': 'runs',
  'node.*': 'nodes',
  'boot.*': 'boots',
  'snapshot.*': 'snapshots',
  'deployment.*': 'deployments',
} as const;
const MOST_NEW = 500;

const fits = (event: Event, kind: string): boolean =>
  kind === '' || event.kind.startsWith(kind.replace('*', ''));

const useNewEvents = (kind: string, paused: boolean): readonly Event[] => {
  const feed = useFeed();
  const [fresh, setFresh] = useState<readonly Event[]>([]);
  useEffect(() => {
    setFresh([]);
    if (paused) return undefined;
    let waiting: Event[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = feed.onEvents((events) => {
      waiting.push(...events.filter((event) => fits(event, kind)));
      timer ??= setTimeout(() => {
        timer = undefined;
        const taken = waiting.toReversed();
        waiting = [];
        setFresh((before) => [...taken, ...before].slice(0, MOST_NEW));
      }, 250);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [feed, kind, paused]);
  return fresh;
};

export const EventsPage = () => {
  useCrumbs({ label: 'Events' });
  const { kind = '' } = useSearch({ from: '/inside/events' });
  const navigate = useNavigate({ from: '/events' });
  const [paused, setPaused] = useState(false);
  const fresh = useNewEvents(kind, paused);
  const past = useInfiniteQuery({
    queryKey: [event_list.id, kind],
    queryFn: ({ pageParam }) =>
      send(event_list, {
        query: {
          limit: 100,
          ...(kind === '' ? {} : { kind }),
          ...(pageParam === 0 ? {} : { before: pageParam }),
        },
      }),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.items.length < 100 ? undefined : last.items.at(-1)?.id),
    refetchOnWindowFocus: false,
  });
  const events = useMemo(() => {
    const seen = new Set<number>();
    return [...fresh, ...(past.data?.pages.flatMap((page) => page.items) ?? [])].filter(
      (event) => !seen.has(event.id) && seen.add(event.id) !== undefined,
    );
  }, [fresh, past.data]);
  return (
    <Page
      title="Events"
      lead="Every change of state is an event, written in the same transaction. Hooks, webhooks and this console all read them in the order of commit."
      actions={
        <>
          <select
            className="select"
            aria-label="Which events"
            value={kind}
            onChange={(event) =>
              void navigate({
                search: event.target.value === '' ? {} : { kind: event.target.value },
              })
            }
          >
            {Object.entries(KINDS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <button className="btn" aria-pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? 'Go on' : 'Hold still'}
          </button>
        </>
      }
    >
      {past.error === null ? null : <Trouble error={past.error} />}
      {past.data === undefined && past.error === null ? <Skeleton lines={10} /> : null}
      {past.data === undefined ? null : events.length === 0 ? (
        <Empty icon="event" title="Nothing has happened yet">
          As soon as a machine joins or a run starts it is written here.
        </Empty>
      ) : (
        <Card flush>
          <EventTable events={events} />
        </Card>
      )}
      <MoreButton list={past} />
    </Page>
  );
};
