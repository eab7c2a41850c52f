import { run_log, type LogLine } from '@hostwright/api/nouns/run';
import { connect } from '../connect.ts';
import { Failure } from '../failure.ts';
import { findRun } from '../find-noderole.ts';
import type { Invocation } from '../invocation.ts';
import { harmless } from '../show-fields.ts';

const show = (call: Invocation, line: LogLine): void => {
  if (call.out.json) return call.out.raw(`${JSON.stringify(line)}\n`);
  const time = call.flag('timestamps') ? `${call.out.paint('dim', line.at)} ` : '';
  const text = harmless(line.text);
  const painted =
    line.stream === 'err'
      ? call.out.paint('yellow', text)
      : line.stream === 'jig'
        ? call.out.paint('dim', text)
        : text;
  call.out.line(`${time}${painted}`);
};

/** One JSON object per line with `--json`, so that a followed log can be piped as it comes. */
export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const params = { run: await findRun(client, call.arg('run')) };
  const follow = call.flag('follow');
  const tail = call.number('tail', { least: 1, most: 10_000 });
  let query: { after?: number; tail?: number; wait?: number } = tail === undefined ? {} : { tail };
  for (;;) {
    const page = await client.call(run_log, { params, query });
    for (const line of page.lines) show(call, line);
    if (page.ended && page.status === 'failed' && follow)
      throw new Failure('not_done', `run ${params.run} failed`);
    if (page.ended || (!follow && page.lines.length === 0)) return;
    query = { after: page.after, ...(follow && { wait: 20 }) };
  }
};
