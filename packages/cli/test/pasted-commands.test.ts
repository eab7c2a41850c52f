/** Commands that are printed to be pasted hold what machines say of themselves as words, never as commands. */
import { execFileSync } from 'node:child_process';
import type { Plan } from '@hostwright/api/nouns/snapshot-plan';
import { expect, test } from 'vitest';
import type { Output } from '../src/output.ts';
import { showPlan } from '../src/show-plan.ts';
import { tellLeave } from '../src/tell-waiting.ts';

const disk = (name: string, serial: string | null) => ({ name, serial, bytes: null, holds: [] });
const wipe: Plan['destructive'][number] = {
  noderoleId: null,
  role: 'wipe',
  roleId: 1,
  node: 'm1',
  nodeId: 1,
  disks: [disk('sda', 'S1;echo hacked|sh'), disk('sdb', 'S,2'), disk('sdc', 'S 3')],
  effect: 'runs once consent is given',
};
const plan: Plan = {
  snapshotId: 1,
  deploymentId: 1,
  revision: 1,
  hash: 'abc',
  add: [],
  change: [],
  rerun: [],
  teardown: [],
  keep: 0,
  pulledIn: [],
  destructive: [wipe],
  refusals: [],
  effects: [],
};

const linesOf = (show: (out: Output) => void): string[] => {
  const lines: string[] = [];
  const line = (text = '') => void lines.push(text);
  show({
    json: false,
    live: false,
    width: 80,
    paint: (_, text) => text,
    line,
    note: line,
    raw: line,
    answer: (value, tell) => tell(value),
    table: () => {},
  });
  return lines;
};
const wordsAfter = (lines: readonly string[], mark: string): string[] => {
  const command = lines.find((line) => line.startsWith(mark))?.slice(mark.length) ?? '';
  const script = `hostwright() { printf '%s\\n' "$@"; }; hostwright ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
};

const CONSENT = ['--consent', 'wipe@m1:S1;echo hacked|sh,sdb,S 3'];

test('leave that a commit lacks is given by pasting what it prints, whatever the serials are', () => {
  const lines = linesOf((out) => tellLeave(out, 'shop', [wipe]));
  expect(wordsAfter(lines, 'give leave with: hostwright ')).toEqual(['commit', 'shop', ...CONSENT]);
});

test('so is what a plan says to add to its commit', () => {
  const lines = linesOf((out) => showPlan(out, plan, 'shop'));
  expect(wordsAfter(lines, 'with leave for what is destructive, add: ')).toEqual(CONSENT);
});
