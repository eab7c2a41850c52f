import {
  annealer_get,
  annealer_once,
  annealer_patch,
  annealer_series,
} from '@hostwright/api/nouns/annealer';
import { HostwrightError } from '@hostwright/core';
import {
  listWorkers,
  readAnnealer,
  readAnnealerSeries,
  readAnnealerStatus,
  requestPass,
  setAnnealer,
  type Db,
} from '@hostwright/engine';
import { route } from '../http/route.ts';

const show = async (db: Db) => ({
  mode: await readAnnealer(db),
  workers: await listWorkers(db),
  ...(await readAnnealerStatus(db)),
});

const STEPS = 120;

export const annealerRoutes = () => [
  route(annealer_get, async ({ context }) => show(context.db)),
  route(annealer_patch, async ({ body, caller, context }) => {
    await setAnnealer(context.db, { mode: body.mode, actor: caller.name });
    return show(context.db);
  }),
  route(annealer_once, async ({ context }) => {
    if (!(await requestPass(context.db)))
      throw new HostwrightError('conflict', {
        message: 'the annealer runs by itself; switch it to manual to go pass by pass',
      });
    return { requested: true };
  }),
  route(annealer_series, async ({ query, context }) => {
    const minutes = query.minutes ?? 60;
    const stepSeconds = query.stepSeconds ?? Math.max(1, Math.round((minutes * 60) / STEPS));
    if ((minutes * 60) / stepSeconds > 5000)
      throw new HostwrightError('bad_input', {
        refusals: [
          { code: 'bad_input', path: 'query/stepSeconds', message: 'more than 5000 steps' },
        ],
      });
    return readAnnealerSeries(context.db, { minutes, stepSeconds });
  }),
];
