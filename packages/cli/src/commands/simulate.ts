/** Simulated machines until Ctrl-C. They come in as real ones do: with a join token, over HTTPS. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { node_bulk } from '@hostwright/api/nouns/node-bulk';
import { token_create } from '@hostwright/api/nouns/token';
import { startFleet, type Fleet } from '@hostwright/simulator';
import { clientOf } from '../connect.ts';
import { findContext } from '../context.ts';
import { Failure } from '../failure.ts';
import { findFirstFree } from '../find-first-free.ts';
import type { Invocation } from '../invocation.ts';
import { readLabels, readShare } from '../read-input.ts';
import { sayReady, untilStopped } from '../up/until-stopped.ts';

const LABELS_AT_ONCE = 1000;

/** How often each machine has booted: a machine that came back with an old boot id would be refused. */
const openBoots = (file: string | undefined) => {
  const boots = new Map<number, number>();
  if (file !== undefined && existsSync(file)) {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof kept === 'object' && kept !== null)
      for (const [index, count] of Object.entries(kept)) boots.set(Number(index), Number(count));
  }
  // without a file each start is a new boot of every machine
  const start = file === undefined ? Math.floor(Date.now() / 1000) : 0;
  const save = (): void => {
    if (file === undefined) return;
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(boots)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return { boots, start, save };
};

const lineOf = (fleet: Fleet): string => {
  const { tally } = fleet;
  return [
    `${tally.joins} of ${tally.machines} joined`,
    `${fleet.connections()} connections`,
    `${tally.running} running`,
    `${tally.succeeded} done`,
    `${tally.failed} failed`,
    ...(tally.reboots > 0 ? [`${tally.reboots} boots`] : []),
    ...(tally.errors > 0 ? [`${tally.errors} calls repeated`] : []),
  ].join(', ');
};

export const run = async (call: Invocation): Promise<void> => {
  const context = findContext(call);
  const client = clientOf(context);
  const nodes = call.number('nodes', { least: 1, most: 100_000 }) ?? 12;
  if (context.ca === undefined)
    throw new Failure('unreachable', "the server's CA is not known here", {
      advice: 'name it in HOSTWRIGHT_CA, or run this with the data folder of `up`',
    });
  const labels = readLabels(call.many('label'));
  const joinToken =
    call.text('join-token') ??
    process.env['HOSTWRIGHT_JOIN_TOKEN'] ??
    (
      await client.call(token_create, {
        body: { kind: 'join', name: 'simulator', uses: nodes * 2 },
      })
    ).secret;
  const stopping = untilStopped();
  const kept = openBoots(call.text('boots-file'));
  const prefix = call.text('prefix') ?? 'sim';
  const first = call.number('first', { least: 0 }) ?? (await findFirstFree(client));
  for (let index = first; index < first + nodes; index++)
    if (!kept.boots.has(index)) kept.boots.set(index, kept.start);
  const unlabelled: string[] = [];
  let trouble = '';
  const fleet = startFleet({
    url: context.url,
    ca: context.ca,
    joinToken,
    nodes,
    first,
    boots: kept.boots,
    seed: call.number('seed', { least: 0, most: 2 ** 31 }) ?? 1,
    prefix,
    failureRate: readShare(call.text('fail') ?? '0', 'fail'),
    secondsPerTask: call.number('seconds-per-task', { least: 0, parts: true }) ?? 1,
    rebootSeconds: call.number('reboot-seconds', { least: 0, parts: true }) ?? 5,
    rebootsPerMinute: readShare(call.text('reboots') ?? '0', 'reboots'),
    deathsPerMinute: readShare(call.text('deaths') ?? '0', 'deaths'),
    deadSeconds: call.number('dead-seconds', { least: 0, parts: true }) ?? 90,
    connectsPerSecond: call.number('connect-rate', { least: 1, parts: true }) ?? 200,
    onBoot: (index, boots) => kept.boots.set(index, boots),
    onJoin: (_, name) => unlabelled.push(name),
    onTrouble: (index, error) => {
      trouble = `machine ${index}: ${error instanceof Error ? error.message : String(error)}`;
    },
  });
  const label = async (): Promise<void> => {
    while (unlabelled.length > 0 && Object.keys(labels).length > 0) {
      const batch = unlabelled.splice(0, LABELS_AT_ONCE);
      await client.call(node_bulk, { body: { action: 'labels', nodes: batch, labels } });
    }
  };
  const { out } = call;
  const seconds = call.number('for', { least: 0, parts: true });
  const until = performance.now() + (seconds ?? Infinity) * 1000;
  let toldReady = false;
  let said = '';
  try {
    while (!stopping.signal.aborted && performance.now() < until) {
      await sleep(500, undefined, { signal: stopping.signal }).catch(() => {});
      if (!toldReady && fleet.tally.joins >= nodes) {
        toldReady = true;
        sayReady({ ready: true });
      }
      await label().catch((error: unknown) => (trouble = String(error)));
      const line = `${lineOf(fleet)}${trouble === '' ? '' : `; last trouble: ${trouble}`}`;
      if (out.live) out.raw(`\r\u001b[2K${line.slice(0, out.width - 1)}`);
      else if (!out.json && line !== said) out.line(line);
      said = line;
      kept.save();
    }
  } finally {
    if (out.live) out.raw('\n');
    await fleet.stop();
    kept.save();
  }
  out.answer({ ...fleet.tally }, () => out.line(`stopped: ${lineOf(fleet)}`));
};
