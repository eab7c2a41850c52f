import { run_cancel, run_get, run_list, run_log, run_log_stream } from '@hostwright/api/nouns/run';
import { cancelRun, listRuns, readRunLog, readRunView, type Db } from '@hostwright/engine';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseFields } from '../http/fields.ts';
import { rawRoute, route } from '../http/route.ts';
import { openEventSink } from '../stream/event-source.ts';

/** Lines are written in batches of a fraction of a second: looking more often would find nothing. */
const LOOK_MS = 250;
const PAGE = 1000;

const waitForLines = async (
  db: Db,
  wish: {
    readonly runId: number;
    readonly after: number;
    readonly limit: number;
    readonly seconds: number;
    readonly signal: AbortSignal;
  },
) => {
  const until = Date.now() + wish.seconds * 1000;
  for (;;) {
    const part = await readRunLog(db, wish);
    if (part.lines.length > 0 || part.ended || Date.now() >= until || wish.signal.aborted)
      return part;
    await sleep(LOOK_MS, undefined, { signal: wish.signal }).catch(() => {});
  }
};

export const runRoutes = () => [
  route(run_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listRuns(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(run_get, async ({ params, context }) => readRunView(context.db, params.run)),
  route(run_log, async ({ params, query, context, request }) => {
    const limit = query.limit ?? PAGE;
    if (query.tail !== undefined)
      return readRunLog(context.db, {
        runId: params.run,
        after: query.after,
        tail: query.tail,
        limit,
      });
    const gone = new AbortController();
    request.raw.once('close', () => gone.abort());
    return waitForLines(context.db, {
      runId: params.run,
      after: query.after ?? -1,
      limit,
      seconds: query.wait ?? 0,
      signal: gone.signal,
    });
  }),
  rawRoute(run_log_stream, async ({ params, query, context, request, reply }) => {
    // refuses an unknown run before the stream is opened
    await readRunLog(context.db, { runId: params.run, limit: 1 });
    const header = request.headers['last-event-id'];
    let after =
      typeof header === 'string' && /^-?\d{1,9}$/.test(header)
        ? Number(header)
        : (query.after ?? -1);
    const sink = openEventSink(request, reply, context.config.streamStallSeconds);
    context.streams.add(sink);
    sink.closed.addEventListener('abort', () => context.streams.delete(sink), { once: true });
    const follow = async () => {
      while (!sink.closed.aborted) {
        const part = await waitForLines(context.db, {
          runId: params.run,
          after,
          limit: PAGE,
          seconds: 30,
          signal: sink.closed,
        });
        for (const line of part.lines) {
          if (!sink.send({ id: String(line.seq), event: 'line', data: JSON.stringify(line) }))
            return;
          await sink.drained();
        }
        after = part.after;
        if (part.ended) {
          sink.send({
            id: String(after),
            event: 'end',
            data: JSON.stringify({ status: part.status }),
          });
          sink.end();
        }
      }
    };
    follow().catch((error: unknown) => {
      context.log.warn({ err: error, run: params.run }, 'a log stream broke');
      sink.end();
    });
  }),
  route(run_cancel, async ({ params, caller, context }) => {
    await cancelRun(context.db, { runId: params.run, actor: caller.name });
    const { attribs: _attribs, ...run } = await readRunView(context.db, params.run);
    return run;
  }),
];
