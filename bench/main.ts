/** `npm run bench [-- --quick] [--only ID]`: measures, writes bench/results, ends with `N of M bars held`. */
import { fork } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bar, BarResult } from './context.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

const folder = new URL('bars/', import.meta.url);
const bars: { readonly file: string; readonly bar: Bar }[] = [];
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .toSorted()) {
  // each file in bench/bars promises a Bar under this name
  const { bar } = (await import(new URL(file, folder).href)) as { bar: Bar };
  if ((values.only === undefined || values.only === bar.id) && (!values.quick || bar.quick))
    bars.push({ file, bar });
}

const RUN_BAR = fileURLToPath(new URL('run-bar.ts', import.meta.url));

/** In a process of its own: what one bar leaves in memory or in a database is no burden on the next. */
const runBar = (file: string): Promise<BarResult> =>
  new Promise((resolve) => {
    const child = fork(RUN_BAR, [file, values.quick ? 'quick' : 'full']);
    let result: BarResult = { held: false, summary: 'ended without a result', figures: {} };
    child.on('message', (message) => {
      // sent by run-bar.ts, which knows no other message
      result = message as BarResult;
    });
    child.once('exit', () => resolve(result));
  });

const before = loadavg()[0] ?? 0;
const say = (text: string) => process.stderr.write(`${text}\n`);
const results: { readonly bar: Bar; readonly seconds: number; readonly result: BarResult }[] = [];
for (const { file, bar } of bars) {
  say(`${bar.id}: ${bar.title}`);
  const started = performance.now();
  const result = await runBar(file);
  const seconds = (performance.now() - started) / 1000;
  results.push({ bar, seconds, result });
  say(`  ${result.held ? 'held' : 'MISSED'}: ${result.summary} (${seconds.toFixed(0)} s)`);
}

/** What else the machine did: figures taken above about one per core are of no use to anybody. */
const others = `load average ${before.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after (the bench itself is about 2)`;
const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${arch()}, Node ${process.version}`;
const report = {
  at: new Date().toISOString(),
  quick: values.quick,
  machine,
  load: others,
  bars: results.map(({ bar, seconds, result }) => ({
    id: bar.id,
    title: bar.title,
    seconds: Math.round(seconds),
    ...result,
  })),
};
const out = new URL('results/', import.meta.url);
mkdirSync(out, { recursive: true });
const name = values.only ?? (values.quick ? 'quick' : 'full');
writeFileSync(new URL(`${name}.json`, out), `${JSON.stringify(report, null, 2)}\n`);
writeFileSync(
  new URL(`${name}.md`, out),
  [
    `# Benchmarks (${name}), ${report.at}`,
    '',
    machine,
    '',
    others,
    '',
    '| bar | held | measured | seconds |',
    '|---|---|---|---|',
    ...report.bars.map(
      (bar) =>
        `| **${bar.id}** ${bar.title} | ${bar.held ? 'yes' : '**no**'} | ${bar.summary} | ${bar.seconds} |`,
    ),
    '',
  ].join('\n'),
);
const held = results.filter(({ result }) => result.held).length;
console.log(`${held} of ${results.length} bars held`);
process.exitCode = held === results.length ? 0 : 1;
