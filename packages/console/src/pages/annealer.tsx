/** What runs, waits, is queued and failed; how fast; and the switch. */
import {
  annealer_get,
  annealer_once,
  annealer_patch,
  annealer_series,
  type Annealer,
} from '@hostwright/api/nouns/annealer';
import { deployment_list } from '@hostwright/api/nouns/deployment';
import { noderole_retry_bulk } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Chart } from '../annealer/chart.tsx';
import { Waiting } from '../annealer/waiting.tsx';
import { RunTable } from '../run/run-table.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Trouble } from '../shell/failure.tsx';
import { Empty, Notice, Skeleton } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { TAB } from '../ui/tab-link.ts';
import { Card, Page } from '../ui/page.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { formatSpan, TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { plural } from '../ui/words.ts';
import { Table } from '../ui/table.tsx';
import { LoadingPage } from '../ui/loaded.tsx';

const SHOWN = {
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
type Shown = keyof typeof SHOWN;

const SAID = {
  auto: 'Work is taken up as soon as it may run.',
  manual: 'Work is taken up only on demand, one pass at a time: for debugging.',
  drain: 'Nothing new is started; what runs is brought to its end.',
} as const;

const Charts = () => {
  const { data } = useQuery({
    ...reading(annealer_series, { query: { minutes: 30 } }),
    refetchInterval: 5000,
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return <Skeleton lines={6} />;
  const start = new Date(data.start).getTime() / 1000;
  const times = data.succeeded.map((_, at) => start + at * data.stepSeconds);
  const perMinute = (counts: readonly number[]) =>
    counts.map((count) => Math.round((count * 600) / data.stepSeconds) / 10);
  return (
    <div className="grid-2">
      <Card title="Throughput" extra={<span className="faint">runs ended per minute</span>}>
        <Chart
          label="Runs ended per minute"
          times={times}
          series={[
            {
              label: 'succeeded',
              values: perMinute(data.succeeded),
              colour: (palette) => palette.look.transition,
              fill: true,
            },
            {
              label: 'failed',
              values: perMinute(data.failed),
              colour: (palette) => palette.look.error,
            },
          ]}
        />
      </Card>
      <Card
        title="Concurrency"
        extra={<span className="faint">runs at once; limit now {data.concurrency}</span>}
      >
        <Chart
          label="Runs at once"
          times={times}
          series={[
            {
              label: 'running',
              values: data.running,
              colour: (palette) => palette.accent,
              fill: true,
            },
            {
              label: 'limit',
              values: data.running.map(() => data.concurrency),
              colour: (palette) => palette.ink3,
              dash: true,
            },
          ]}
        />
      </Card>
    </div>
  );
};

const Switch = ({ annealer }: { readonly annealer: Annealer }) => {
  const may = useMay('operator');
  const turn = useChange((mode: Annealer['mode']) => send(annealer_patch, { body: { mode } }), {
    onSuccess: (made) => say(`Annealer: ${made.mode}`, SAID[made.mode]),
  });
  const once = useChange(() => send(annealer_once, {}), {
    onSuccess: () => say('One pass asked for'),
  });
  if (!may) return <span className="badge">{annealer.mode}</span>;
  return (
    <>
      {annealer.mode === 'manual' ? (
        <button className="btn" onClick={() => once.mutate(undefined)}>
          <Icon name="play" /> One pass
        </button>
      ) : null}
      <Segmented
        label="Mode of the annealer"
        value={annealer.mode}
        options={{ auto: 'Auto', manual: 'Manual', drain: 'Drain' }}
        onChange={(mode) => turn.mutate(mode)}
      />
    </>
  );
};

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

const Runs = ({ shown, annealer }: { readonly shown: Shown; readonly annealer: Annealer }) => {
  const { data, error } = useQuery({
    ...reading(run_list, { query: { ...SHOWN[shown].query, limit: 100 } }),
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
      {error === null ? null : <Trouble error={error} />}
      {data === undefined ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <Empty icon="annealer" title={SHOWN[shown].empty} />
      ) : (
        <RunTable runs={data.items} />
      )}
    </Card>
  );
};

const Workers = ({ annealer }: { readonly annealer: Annealer }) => (
  <Card title="Workers" flush>
    {annealer.workers.length === 0 ? (
      <Empty icon="jig" title="No worker is alive">
        Nothing can run without one. <code>hostwright worker</code> starts one;{' '}
        <code>hostwright up</code> starts one by itself.
      </Empty>
    ) : (
      <Table
        label="Workers"
        headings={['Worker', 'State', { label: 'At once', end: true }, 'Since']}
      >
        {annealer.workers.map((worker) => (
          <tr key={worker.id}>
            <td className="strong">{worker.name}</td>
            <td>
              <span className={worker.alive ? 'badge good' : 'badge bad'}>
                {worker.alive ? (worker.draining ? 'draining' : 'alive') : 'lost'}
              </span>
            </td>
            <td className="end">{worker.concurrency}</td>
            <td className="faint">
              <TimeAgo at={worker.startedAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);

export const AnnealerPage = () => {
  useCrumbs({ label: 'Annealer' });
  const { show } = useSearch({ from: '/inside/annealer' });
  const { data: annealer, error } = useQuery({
    ...reading(annealer_get, {}),
    refetchInterval: 5000,
  });
  if (annealer === undefined) return <LoadingPage error={error} />;
  const shown: Shown =
    show !== undefined && Object.hasOwn(SHOWN, show) ? (show as Shown) : 'running';
  return (
    <Page
      title="Annealer"
      lead="Turns noderoles in todo into runs: whatever may run, does, within the limits."
      actions={<Switch annealer={annealer} />}
    >
      {annealer.mode === 'auto' ? null : <Notice tone="warn">{SAID[annealer.mode]}</Notice>}
      <dl className="figures">
        {(['running', 'waiting', 'queued', 'failed'] as const).map((key) => (
          <div key={key} className="figure">
            <dt>{key === 'failed' ? 'Failed, last day' : SHOWN[key].label}</dt>
            <dd>{(annealer.runs[key] ?? 0).toLocaleString('en')}</dd>
          </div>
        ))}
        <div className="figure">
          <dt>Ready</dt>
          <dd>{annealer.ready.toLocaleString('en')}</dd>
        </div>
        <div className="figure">
          <dt>Oldest ready</dt>
          <dd>
            {annealer.oldestReadySeconds === null
              ? '–'
              : formatSpan(annealer.oldestReadySeconds * 1000)}
          </dd>
        </div>
      </dl>
      <Charts />
      <Runs shown={shown} annealer={annealer} />
      <div className="grid-2">
        <Workers annealer={annealer} />
        <Waiting annealer={annealer} />
      </div>
    </Page>
  );
};
