/**
 * Live progress of a commit. Events say when to look again; what is shown is always read as a whole,
 * so that a lost event can make the picture late but never wrong.
 */
import type { Answer, Client } from '@hostwright/api';
import { event_stream } from '@hostwright/api/nouns/event';
import { snapshot_get } from '@hostwright/api/nouns/snapshot';
import { snapshot_progress } from '@hostwright/api/nouns/snapshot-commit';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.ts';
import type { Invocation } from './invocation.ts';
import type { Output } from './output.ts';
import { createBootTeller, type BootLine } from './tell-boots.ts';

type Progress = Answer<typeof snapshot_progress>;

const LOOK_EVERY_MS = 5000;
const CALM_MS = 150;

const bar = (out: Output, done: number, failed: number, total: number): string => {
  const width = Math.max(10, Math.min(50, out.width - 40));
  const good = total === 0 ? width : Math.floor((done / total) * width);
  const bad = total === 0 ? 0 : Math.ceil((failed / total) * width);
  const rest = Math.max(0, width - good - bad);
  return (
    out.paint('green', '█'.repeat(good)) +
    out.paint('red', '█'.repeat(bad)) +
    out.paint('dim', '░'.repeat(rest))
  );
};

const linesOf = (out: Output, progress: Progress): string[] => {
  const states = Object.entries(progress.states)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
  return [
    ...progress.byCohort.map(
      (cohort) =>
        `step ${String(cohort.cohort + 1).padStart(2)}  ${bar(out, cohort.done, cohort.failed, cohort.total)}  ${cohort.done}/${cohort.total}`,
    ),
    `all      ${bar(out, progress.done, progress.failed, progress.total)}  ${progress.done}/${progress.total}`,
    states,
  ];
};

const draw = (out: Output): ((progress: Progress, boots: readonly BootLine[]) => void) => {
  let drawn = 0;
  let said = '';
  return (progress, boots) => {
    if (out.live) {
      const told = boots.map(({ node, text }) => `${node}: ${text}`.slice(0, out.width - 1));
      // what is told stays above what is drawn anew
      const lines = [...told, ...linesOf(out, progress)];
      const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
      out.raw(up + lines.map((line) => `\u001b[2K${line}\n`).join('') + '\u001b[J');
      drawn = lines.length - told.length;
      return;
    }
    for (const { node, text } of boots) out.line(`${node}: ${text}`);
    const line = `${progress.done} of ${progress.total} done, ${progress.failed} failed`;
    if (line === said) return;
    said = line;
    if (out.json) out.raw(`${JSON.stringify(progress)}\n`);
    else out.line(line);
  };
};

/** Resolves at the next event that may have changed the picture, or after a while without any. */
const createWaker = (client: Client, deployment: string, signal: AbortSignal) => {
  let wake = Promise.withResolvers<void>();
  const listen = async () => {
    const query = { kind: ['noderole.*', 'snapshot.*'], deployment };
    for await (const _ of client.stream(event_stream, { query }, { signal })) {
      wake.resolve();
      wake = Promise.withResolvers<void>();
    }
  };
  listen().catch(() => {});
  return () => Promise.race([wake.promise, sleep(LOOK_EVERY_MS, undefined, { signal })]);
};

export const followCommit = async (
  call: Invocation,
  client: Client,
  snapshot: number,
): Promise<void> => {
  const params = { snapshot };
  const { deployment, revision } = await client.call(snapshot_get, { params });
  const limit = call.number('timeout', { least: 0, parts: true });
  const ending = new AbortController();
  const signal =
    limit === undefined
      ? ending.signal
      : AbortSignal.any([ending.signal, AbortSignal.timeout(limit * 1000)]);
  process.once('SIGINT', () => process.exit(130));
  const next = createWaker(client, deployment, signal);
  const show = draw(call.out);
  const tellBoots = createBootTeller(client, snapshot);
  call.out.line(`revision ${revision} of ${deployment}`);
  try {
    for (;;) {
      const progress = await client.call(snapshot_progress, { params });
      // the boots are told by the way: that they cannot be read ends no watching
      show(progress, call.out.json ? [] : await tellBoots().catch(() => []));
      if (progress.haltedReason !== null)
        throw new Failure('not_done', `halted: ${progress.haltedReason}`);
      if (progress.finished && progress.failed > 0)
        throw new Failure(
          'not_done',
          `${progress.failed} of ${progress.total} noderoles are in error`,
          {
            advice: `\`hostwright why ${deployment}\` says why, \`hostwright retry -d ${deployment}\` tries again`,
          },
        );
      if (progress.finished) return;
      await next();
      await sleep(CALM_MS);
    }
  } catch (error) {
    if (!(error instanceof Failure) && signal.aborted)
      throw new Failure('not_done', `not done within ${limit} seconds`);
    throw error;
  } finally {
    ending.abort();
  }
};
