/** Runs one bar in this process, with a PostgreSQL of its own, and sends its result to the parent. */
import { openBench, type Bar, type BarResult } from './context.ts';

const [file = '', quick = ''] = process.argv.slice(2);
// each file in bench/bars promises a Bar under this name
const { bar } = (await import(new URL(file, new URL('bars/', import.meta.url)).href)) as {
  bar: Bar;
};
const context = await openBench(quick === 'quick');
let result: BarResult;
try {
  result = await bar.run(context);
} catch (error) {
  context.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  result = { held: false, summary: `could not be measured: ${String(error)}`, figures: {} };
} finally {
  await context.close();
}
await new Promise((resolve) => process.send?.(result, resolve));
process.exit();
