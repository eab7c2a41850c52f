/** One task, from the acknowledgement to the result, told to the server as the real agent tells it. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBehaviour, readBundle, type Behaviour } from './bundle.ts';
import type { Identity } from './hardware.ts';
import type { Random } from './random.ts';
import type { Tally } from './tally.ts';
import type { Answer, Ask } from './wire.ts';

export interface Task {
  readonly run: string;
  readonly token: string;
  readonly sha256: string | undefined;
}

export interface TaskSurroundings {
  readonly identity: Identity;
  readonly random: Random;
  readonly tally: Tally;
  readonly failureRate: number;
  readonly secondsPerTask: number;
  /** Says it with this machine's token and boot id, and tries again until the server answers. */
  say(ask: Ask): Promise<Answer>;
  readonly onStarted: () => void;
}

type Ending = 'succeeded' | 'failed' | 'refused' | 'cancelled';

const FAILURES: readonly [string, ...string[]] = [
  'E: Unable to fetch some archives: connection timed out',
  'mkfs: /dev/sdb: Input/output error',
  'systemd: unit failed: start request repeated too quickly',
  'No space left on device',
  'dpkg: error processing package (--configure): installed post-installation script failed',
];

const fill =
  (identity: Identity, random: Random) =>
  (template: string): string =>
    template
      .replaceAll('@address@', identity.address)
      .replaceAll('@hostname@', identity.hostname)
      .replaceAll('@rack@', identity.rack)
      .replaceAll(/@number:(\d+)-(\d+)@/g, (_, from: string, to: string) =>
        String(random.between(Number(from), Number(to))),
      );

const fetchBehaviour = async (
  task: Task,
  around: TaskSurroundings,
): Promise<Behaviour | undefined> => {
  const path = `/agent/v1/task/${task.run}/${task.token}/bundle`;
  const { status, body } = await around.say({ method: 'GET', path });
  if (status !== 200) return undefined;
  const sum = createHash('sha256').update(body).digest('hex');
  if (task.sha256 !== undefined && task.sha256 !== sum) return undefined;
  return readBehaviour(readBundle(body), fill(around.identity, around.random));
};

export const performTask = async (
  task: Task,
  around: TaskSurroundings,
  signal: AbortSignal,
): Promise<Ending> => {
  const { random, tally } = around;
  const at = `/agent/v1/task/${task.run}/${task.token}`;
  const behaviour = await fetchBehaviour(task, around);
  if (behaviour === undefined) return 'refused';
  const started = await around.say({ method: 'POST', path: `${at}/started`, body: '' });
  if (started.status >= 400) return 'refused';
  around.onStarted();

  tally.running++;
  try {
    const fails =
      behaviour.exitCode !== 0 ||
      random.next() < behaviour.failure ||
      random.next() < around.failureRate;
    const seconds = (behaviour.seconds ?? 1) * around.secondsPerTask * (0.5 + random.next());
    const lines = [
      ...behaviour.logs,
      ...(fails ? [random.pick(FAILURES)] : [`done on ${around.identity.hostname}`]),
    ];
    const parts = Math.max(1, Math.min(lines.length, Math.ceil(seconds)));
    let offset = 0;
    for (let part = 0; part < parts; part++) {
      await sleep((seconds * 1000) / parts, undefined, { signal });
      const from = Math.floor((part * lines.length) / parts);
      const to = Math.floor(((part + 1) * lines.length) / parts);
      const body = Buffer.from(
        lines
          .slice(from, to)
          .map((line) => `${line}\n`)
          .join(''),
      );
      const path = `${at}/log?offset=${offset}`;
      await around.say({ method: 'POST', path, body, contentType: 'application/octet-stream' });
      offset += body.length;
    }
    const result = fails
      ? { exit_code: behaviour.exitCode || 1, wall: {}, script: behaviour.script }
      : { exit_code: 0, wall: behaviour.wall };
    const answer = await around.say({
      method: 'POST',
      path: `${at}/result`,
      body: JSON.stringify(result),
    });
    if (answer.status >= 400) return 'refused';
    return fails ? 'failed' : 'succeeded';
  } catch (error) {
    if (signal.aborted) return 'cancelled';
    throw error;
  } finally {
    tally.running--;
  }
};
