import {
  ANNEALER_MODES,
  annealer_get,
  annealer_once,
  annealer_patch,
} from '@hostwright/api/nouns/annealer';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { showFields } from '../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const { out } = call;
  if (call.flag('once')) {
    const before = await client.call(annealer_get);
    if (before.mode !== 'manual')
      throw new Failure('refused', `the annealer is in ${before.mode} mode`, {
        advice: 'switch it with `hostwright anneal --mode manual` first',
      });
    const answer = await client.call(annealer_once);
    return out.answer(answer, () => out.line('one pass is asked for'));
  }
  const wanted = call.text('mode');
  const mode = ANNEALER_MODES.find((known) => known === wanted);
  const annealer =
    mode === undefined
      ? await client.call(annealer_get)
      : await client.call(annealer_patch, { body: { mode } });
  out.answer(annealer, () => {
    showFields(out, [
      ['mode', annealer.mode],
      ['ready', annealer.ready],
      [
        'held',
        Object.entries(annealer.held)
          .map(([hold, count]) => `${count} by ${hold}`)
          .join(', '),
      ],
      [
        'runs',
        Object.entries(annealer.runs)
          .map(([status, count]) => `${count} ${status}`)
          .join(', '),
      ],
    ]);
    out.line();
    out.table(
      [
        { title: 'WORKER', cell: (worker) => worker.name },
        { title: 'ALIVE', cell: (worker) => worker.alive },
        { title: 'AT ONCE', cell: (worker) => worker.concurrency, right: true },
        { title: 'DRAINING', cell: (worker) => worker.draining },
      ],
      annealer.workers,
      'no workers; `hostwright worker` starts one',
    );
  });
};
