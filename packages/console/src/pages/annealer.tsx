/** What runs, waits, is queued and failed; how fast; and the switch. */
import { annealer_get } from '@hostwright/api/nouns/annealer';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Charts } from '../annealer/charts.tsx';
import { Runs, SHOWN, type Shown } from '../annealer/runs.tsx';
import { SAID, Switch } from '../annealer/switch.tsx';
import { Waiting } from '../annealer/waiting.tsx';
import { Workers } from '../annealer/workers.tsx';
import { reading } from '../session/client.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { Notice } from '../ui/empty.tsx';
import { LoadingPage } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { formatSpan } from '../ui/time-ago.tsx';

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
