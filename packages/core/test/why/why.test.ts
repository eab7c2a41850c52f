import { expect, test } from 'vitest';
import {
  CAUSE_KINDS,
  decideWhyNode,
  decideWhyNoderole,
  type Why,
  type WhyNode,
  type WhyNoderole,
  type WhyRun,
} from '@hostwright/core';

const node: WhyNode = {
  id: 7,
  name: 'web-1',
  alive: true,
  aliveReason: '',
  aliveHold: null,
  available: true,
  everSeen: true,
  hammers: [],
};
const run: WhyRun = {
  id: 41,
  role: 'ntp',
  status: 'running',
  seconds: 120,
  waitingFor: null,
  deadlineSeconds: 3480,
  worker: 'w1',
  workerAlive: true,
  error: null,
  lastLines: [],
};
const base: WhyNoderole = {
  id: 9,
  role: 'ntp',
  node,
  deployment: { id: 3, name: 'shop' },
  state: 'todo',
  reason: '',
  cause: 'commit 4',
  holds: [],
  backoffSeconds: null,
  removing: false,
  drifted: false,
  driftReason: null,
  destructive: false,
  jig: { name: 'script', active: true },
  pausedBy: null,
  rollout: null,
  run: null,
  refreshQueued: false,
  laneRun: null,
  aheadInLane: 0,
  aheadInQueue: 0,
  softParent: null,
  annealer: { mode: 'auto', workers: 1, draining: 0 },
  root: null,
};
const rollout = {
  revision: 4,
  haltedReason: null,
  canary: null,
  canaryPassed: false,
  rollingLimit: null,
};
const parent: WhyNoderole = {
  ...base,
  id: 8,
  role: 'os',
  state: 'error',
  reason: 'exit code 1',
  run: { ...run, status: 'failed', lastLines: ['E: no space left'] },
};

const cases: readonly (readonly [
  string,
  Partial<WhyNoderole>,
  Why['cause']['kind'],
  string,
  string | null,
])[] = [
  [
    'proposed',
    { state: 'proposed' },
    'proposed',
    'ntp on web-1 is only proposed: nobody has committed it',
    'hostwright commit shop',
  ],
  [
    'blocked by an error two levels up',
    { state: 'blocked', root: parent },
    'error',
    'ntp on web-1 is blocked, because os on web-1 failed: exit code 1; its last line: E: no space left',
    'hostwright retry web-1/os',
  ],
  [
    'blocked by something that only waits',
    { state: 'blocked', root: { ...parent, state: 'todo', pausedBy: 'root' } },
    'paused',
    'ntp on web-1 is blocked, because os on web-1 waits: deployment root is paused',
    'hostwright deployment resume root',
  ],
  [
    'blocked by a blocked one, followed on',
    { state: 'blocked', root: { ...base, role: 'mid', state: 'blocked', root: parent } },
    'error',
    'ntp on web-1 is blocked, because mid on web-1 is blocked, because os on web-1 failed: exit code 1; its last line: E: no space left',
    'hostwright retry web-1/os',
  ],
  [
    'blocked, and nobody knows by what',
    { state: 'blocked', reason: 'a parent is gone' },
    'blocked',
    'ntp on web-1 is blocked: a parent is gone',
    'hostwright why web-1',
  ],
  [
    'halted',
    { holds: ['halted'], rollout: { ...rollout, haltedReason: 'the canary failed: x' } },
    'halted',
    'ntp on web-1 waits: the commit of revision 4 was halted: the canary failed: x',
    'hostwright deployment resume shop',
  ],
  [
    'consent',
    { holds: ['consent'], destructive: true },
    'consent',
    'ntp on web-1 waits: it is destructive, and nobody has given leave for its inputs as they are now',
    'hostwright commit shop --consent ntp@web-1',
  ],
  [
    'paused',
    { pausedBy: 'shop', holds: ['paused'] },
    'paused',
    'ntp on web-1 waits: deployment shop is paused',
    'hostwright deployment resume shop',
  ],
  [
    'jig off',
    { jig: { name: 'script', active: false } },
    'jig_off',
    'ntp on web-1 waits: its jig script is switched off',
    'hostwright jig on script',
  ],
  [
    'never seen',
    { node: { ...node, alive: false, everSeen: false } },
    'never_seen',
    'ntp on web-1 waits: web-1 has never been seen: its agent has not called yet',
    'hostwright join-command',
  ],
  [
    'not alive',
    { node: { ...node, alive: false, aliveReason: 'silent since noon', hammers: ['ipmi'] } },
    'not_alive',
    'ntp on web-1 waits: web-1 is not alive: silent since noon',
    'hostwright node actions web-1',
  ],
  [
    'not alive, and nothing to reach it by',
    { node: { ...node, alive: false, aliveReason: 'silent since noon' } },
    'not_alive',
    'ntp on web-1 waits: web-1 is not alive: silent since noon; it has no hammer, so somebody has to look at the machine',
    null,
  ],
  [
    'held dead by an install',
    { node: { ...node, alive: false, aliveHold: 'the OS is being installed' } },
    'held_dead',
    'ntp on web-1 waits: web-1 is kept apart: the OS is being installed',
    'hostwright runs --node web-1 --live',
  ],
  [
    'not available',
    { node: { ...node, available: false } },
    'not_available',
    'ntp on web-1 waits: web-1 is not available: an operator keeps Hostwright off it',
    'hostwright node set web-1 --available',
  ],
  [
    'canary',
    { holds: ['rolling'], rollout: { ...rollout, canary: 2 } },
    'canary',
    'ntp on web-1 waits: the canary of 2 of this commit has not passed yet',
    'hostwright watch shop',
  ],
  [
    'rolling',
    { holds: ['rolling'], rollout: { ...rollout, canary: 2, canaryPassed: true, rollingLimit: 5 } },
    'rolling',
    "ntp on web-1 waits: the commit goes out to 5 nodes at a time, and web-1's turn has not come",
    'hostwright watch shop',
  ],
  [
    'backoff',
    { holds: ['backoff'], backoffSeconds: 90, reason: 'exit code 2' },
    'backoff',
    'ntp on web-1 waits: it failed (exit code 2) and is tried again in 2 minutes',
    'hostwright retry web-1/ntp',
  ],
  [
    'soft order',
    { holds: ['order'], softParent: { role: 'dns', node: 'admin', state: 'transition' } },
    'order',
    'ntp on web-1 waits: dns on admin goes first and is in transition',
    'hostwright why admin/dns',
  ],
  [
    'removal waits for its children',
    { holds: ['removing'], removing: true },
    'removing',
    'ntp on web-1 waits: it is being removed, and what depends on it is torn down first',
    'hostwright watch shop',
  ],
  [
    'drain',
    { annealer: { mode: 'drain', workers: 1, draining: 0 } },
    'annealer_drain',
    'ntp on web-1 waits: the annealer drains: nothing new starts',
    'hostwright anneal --mode auto',
  ],
  [
    'manual',
    { annealer: { mode: 'manual', workers: 1, draining: 0 } },
    'annealer_manual',
    'ntp on web-1 waits: the annealer is in manual mode',
    'hostwright anneal --once',
  ],
  [
    'no worker',
    { annealer: { mode: 'auto', workers: 0, draining: 0 } },
    'no_worker',
    'ntp on web-1 waits: no worker is alive',
    'hostwright worker',
  ],
  [
    'only draining workers',
    { annealer: { mode: 'auto', workers: 0, draining: 2 } },
    'no_worker',
    'ntp on web-1 waits: every worker is draining',
    'hostwright worker',
  ],
  [
    'lane busy',
    { laneRun: { ...run, role: 'os', status: 'waiting' } },
    'lane_busy',
    'ntp on web-1 waits: os runs on web-1 (run 41, waiting for 2 minutes)',
    'hostwright logs -f 41',
  ],
  [
    'next',
    {},
    'queue',
    'ntp on web-1 waits: it is next, and starts at the next turn of the annealer',
    'hostwright watch shop',
  ],
  [
    'queue',
    { aheadInLane: 2, aheadInQueue: 40 },
    'queue',
    'ntp on web-1 waits: 42 come before it in the queue (2 on this node)',
    'hostwright watch shop',
  ],
  [
    'running',
    { state: 'transition', run },
    'running',
    'ntp on web-1 has been running for 2 minutes, its deadline is in 58 minutes',
    'hostwright logs -f 41',
  ],
  [
    'waiting for evidence',
    {
      state: 'transition',
      run: { ...run, status: 'waiting', waitingFor: 'agent-result', deadlineSeconds: 30 },
    },
    'waiting',
    'ntp on web-1 has waited for agent-result for 2 minutes, its deadline is in 30 seconds',
    'hostwright logs -f 41',
  ],
  [
    'cancelling',
    { state: 'transition', run: { ...run, status: 'cancelling', deadlineSeconds: null } },
    'cancelling',
    'ntp on web-1 is being cancelled',
    'hostwright logs -f 41',
  ],
  [
    'worker lost',
    { state: 'transition', run: { ...run, workerAlive: false } },
    'worker_lost',
    'ntp on web-1 was run by a worker that died; another takes it up within 15 seconds',
    'hostwright logs -f 41',
  ],
  [
    'worker lost and none left',
    {
      state: 'transition',
      run: { ...run, workerAlive: false },
      annealer: { mode: 'auto', workers: 0, draining: 0 },
    },
    'worker_lost',
    'ntp on web-1 was run by a worker that died; another takes it up within 15 seconds',
    'hostwright worker',
  ],
  [
    'error',
    { state: 'error', reason: 'exit code 1' },
    'error',
    'ntp on web-1 failed: exit code 1',
    'hostwright retry web-1/ntp',
  ],
  [
    'error of a destructive role',
    { state: 'error', reason: 'exit code 1', destructive: true },
    'error',
    'ntp on web-1 failed: exit code 1',
    'hostwright commit shop --consent ntp@web-1',
  ],
  [
    'error in a teardown',
    { state: 'error', reason: 'teardown failed: x', removing: true, destructive: true },
    'error',
    'ntp on web-1 could not be removed: teardown failed: x',
    'hostwright retry web-1/ntp',
  ],
  [
    'drifted',
    { state: 'active', drifted: true, driftReason: 'disk changed' },
    'drifted',
    'ntp on web-1 is active but drifted: disk changed; it is destructive, so it is not re-run unasked',
    'hostwright retry web-1/ntp',
  ],
  [
    'degraded',
    { state: 'active', root: parent },
    'degraded',
    'ntp on web-1 is active but degraded, because os on web-1 failed: exit code 1; its last line: E: no space left',
    'hostwright retry web-1/os',
  ],
  [
    'refresh to come',
    { state: 'active', refreshQueued: true },
    'refresh',
    'ntp on web-1 is active; a refresh is to run',
    'hostwright runs --node web-1 --live',
  ],
  ['done', { state: 'active' }, 'none', 'ntp on web-1 is active: there is nothing to do', null],
];

test.each(cases)('why: %s', (_, facts, kind, sentence, command) => {
  const why = decideWhyNoderole({ ...base, ...facts });
  expect({ kind: why.cause.kind, sentence: why.sentence, command: why.command }).toEqual({
    kind,
    sentence,
    command,
  });
});

test('every kind of cause is shown by a case', () => {
  const shown = new Set<string>([...cases.map(([, , kind]) => kind), 'undefined']);
  expect(CAUSE_KINDS.filter((kind) => !shown.has(kind))).toEqual([]);
});

test('a node says the one thing that matters most', () => {
  const facts = { node, noderoles: [] as WhyNoderole[], count: 3, given: 2 };
  const waiting = { ...base, pausedBy: 'shop' };
  expect(decideWhyNode(facts)).toMatchObject({
    sentence: 'web-1 is done: all 3 noderoles are active',
    command: null,
  });
  expect(decideWhyNode({ ...facts, given: 0 })).toMatchObject({ cause: { kind: 'undefined' } });
  expect(decideWhyNode({ ...facts, noderoles: [waiting, parent] })).toMatchObject({
    cause: { kind: 'error', noderoleId: 8 },
  });
  expect(decideWhyNode({ ...facts, noderoles: [waiting] })).toMatchObject({
    cause: { kind: 'paused' },
  });
  const dead = { ...node, alive: false, aliveReason: 'silent since noon' };
  expect(
    decideWhyNode({ ...facts, node: dead, noderoles: [{ ...waiting, node: dead }] }),
  ).toMatchObject({
    sentence:
      'web-1 is not alive: silent since noon; it has no hammer, so somebody has to look at the machine; 1 noderole waits for it',
    cause: { kind: 'not_alive' },
  });
  const held = { ...node, alive: false, aliveHold: 'installing' };
  expect(
    decideWhyNode({
      ...facts,
      node: held,
      noderoles: [{ ...base, node: held, state: 'transition', run }],
    }),
  ).toMatchObject({ cause: { kind: 'running' } });
});

test('an erasure that failed is asked for again by words, whatever the machine calls its disks', () => {
  const disks = ['WD-1', 'S 2;reboot'];
  const release = { actor: 'anna', disks, how: 'full', waitsFor: '', failed: 'no power' } as const;
  const why = decideWhyNode({ node, noderoles: [], count: 0, given: 0, release });
  expect(why.command).toBe(
    "hostwright node release web-1 --erase WD-1 --erase 'S 2;reboot' --full",
  );
});
