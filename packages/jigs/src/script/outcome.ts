/** How a run ended, from what the runner wrote down. */
import { isObject, type JsonObject } from '@hostwright/core';
import type { Outcome } from '@hostwright/engine';

export interface ScriptResult {
  readonly exitCode: number;
  readonly reason: string;
  readonly script: string;
  readonly wall: JsonObject;
  readonly wallError: string;
}

/** From a memo or an evidence's payload, which are plain JSON. */
export const readResult = (payload: JsonObject): ScriptResult => {
  const text = (key: string): string => {
    const value = payload[key];
    return typeof value === 'string' ? value : '';
  };
  const wall = payload['wall'];
  return {
    exitCode: typeof payload['exitCode'] === 'number' ? payload['exitCode'] : 255,
    reason: text('reason'),
    script: text('script'),
    wall: isObject(wall) ? wall : {},
    wallError: text('wallError'),
  };
};

type Blame = 'node' | 'content' | 'us';

const ENDINGS: Readonly<Record<string, { readonly text: string; readonly blame: Blame }>> = {
  timeout: { text: 'did not end in time and was stopped', blame: 'content' },
  fenced: { text: 'was stopped: a newer run took its lane', blame: 'us' },
  lost: { text: 'was killed on the machine, not by Hostwright', blame: 'node' },
  rebooted: { text: 'was cut off: the machine rebooted', blame: 'node' },
  lane_busy: { text: 'could not start: an older run cannot be ended', blame: 'node' },
  unkillable: { text: 'could not be ended on the machine', blame: 'node' },
  wall_too_large: { text: 'wrote more than 1 MB to its wall', blame: 'content' },
};

export const toOutcome = (result: ScriptResult): Outcome => {
  const { exitCode, reason, script, wall, wallError } = result;
  const name = script === '' ? 'the run' : script;
  const failed = (text: string, blame: Blame, retryable = true): Outcome => ({
    kind: 'failed',
    reason: text,
    retryable,
    blame,
    wall,
  });
  if (reason === 'cancelled') return { kind: 'cancelled' };
  const ending = ENDINGS[reason];
  if (ending !== undefined) return failed(`${name} ${ending.text}`, ending.blame);
  if (reason !== '') return failed(`${name}: ${reason}`, 'node', false);
  if (exitCode !== 0) return failed(`${name} exited with ${exitCode}`, 'content');
  if (wallError !== '') return failed(wallError, 'content', false);
  return { kind: 'succeeded', wall };
};
