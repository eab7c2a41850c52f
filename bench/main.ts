/** `npm run bench [-- --quick] [--only ID]`: measures, writes bench/results, ends with `N of M bars held`. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { openBench, type Bar, type BarResult } from './context.ts';

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});

const folder = new URL('bars/', import.meta.url);
const bars: Bar[] = [];
for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .toSorted()) {
  // each file in bench/bars promises a Bar under this name
  const { bar } = (await import(new URL(file, folder).href)) as { bar: Bar };
  if ((values.only === undefined || values.only === bar.id) && (!values.quick || bar.quick))
    bars.push(bar);
}

const before = loadavg()[0] ?? 0;
const context = await openBench(values.quick);
const results: { readonly bar: Bar; readonly seconds: number; readonly result: BarResult }[] = [];
try {
  for (const bar of bars) {
    context.say(`${bar.id}: ${bar.title}`);
    const started = performance.now();
    let result: BarResult;
    try {
      result = await bar.run(context);
    } catch (error) {
      context.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      result = { held: false, summary: `could not be measured: ${String(error)}`, figures: {} };
    }
    const seconds = (performance.now() - started) / 1000;
    results.push({ bar, seconds, result });
    context.say(
      `  ${result.held ? 'held' : 'MISSED'}: ${result.summary} (${seconds.toFixed(0)} s)`,
    );
  }
} finally {
  await context.close();
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
