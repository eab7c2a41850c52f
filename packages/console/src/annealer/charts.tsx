/** Throughput and concurrency of the last half hour. */
import { annealer_series } from '@hostwright/api/nouns/annealer';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { reading } from '../session/client.ts';
import { Skeleton } from '../ui/empty.tsx';
import { Card } from '../ui/page.tsx';
import { Chart } from './chart.tsx';

export const Charts = () => {
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
