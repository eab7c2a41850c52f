import { createHash } from 'node:crypto';
import {
  hashReadSet,
  makePlan,
  settle,
  whatMoved,
  type Board,
  type Bound,
  type PlanInput,
  type Standing,
} from '@hostwright/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeBoard, makeBound, makeCatalogue, nameOf, type RoleText } from './fixture.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const ROLES: RoleText[] = [
  { name: 'base', flags: ['implicit'] },
  { name: 'web', requires: ['base'], teardown: true },
  { name: 'wipe', flags: ['destructive'] },
];

const inputOf = (
  board: Board,
  operator: readonly Bound[],
  more: Partial<PlanInput> = {},
): PlanInput => ({
  board,
  operator,
  data: new Map(),
  reasons: new Map(),
  standing: [],
  elsewhere: new Map(),
  inputsMoved: new Set(),
  neededBy: new Map(),
  disks: new Map(),
  ...more,
});

const standing = (
  board: Board,
  pair: string,
  more: Partial<Standing> & { id: number },
): Standing => {
  const { roleId, nodeId } = makeBound(board.catalogue, [...board.nodes.values()], pair);
  return {
    roleId,
    nodeId,
    state: 'active',
    removing: false,
    ran: true,
    awaitsConsent: false,
    data: null,
    cohort: 0,
    hard: [],
    soft: [],
    ...more,
  };
};

const own = (board: Board): Bound[] =>
  [...board.onNode.values()].flatMap((roles) => [...roles.values()]);
const names = (items: readonly { role: string; node: string }[]): string[] =>
  items.map((item) => `${item.role}@${item.node}`);

describe('what a plan says', () => {
  const board = () => makeBoard(makeCatalogue(ROLES), { bound: ['web@n1'] });

  test('to add, with what is pulled in and why', () => {
    const made = board();
    const plan = makePlan(inputOf(made, own(made)));
    expect(names(plan.add).sort()).toEqual(['base@n1', 'web@n1']);
    expect(plan.pulledIn).toEqual([
      { role: 'base', node: 'n1', reason: 'web@n1 requires base, on the same node' },
    ]);
    expect(plan.keep).toBe(0);
  });

  test('nothing, when everything stands as wanted', () => {
    const made = board();
    const plan = makePlan(
      inputOf(made, own(made), {
        standing: [
          standing(made, 'base@n1', { id: 10 }),
          standing(made, 'web@n1', { id: 11, cohort: 1, hard: [10] }),
        ],
      }),
    );
    expect(plan).toMatchObject({
      add: [],
      change: [],
      rerun: [],
      teardown: [],
      keep: 2,
      refusals: [],
    });
  });

  test('what changes: data, parents, order', () => {
    const made = board();
    const [web] = own(made);
    if (web === undefined) throw new Error('no binding');
    const plan = makePlan(
      inputOf(made, [web], {
        data: new Map([[web, { port: 1 }]]),
        standing: [
          standing(made, 'base@n1', { id: 10 }),
          standing(made, 'web@n1', { id: 11, cohort: 3, hard: [99] }),
        ],
      }),
    );
    expect(plan.change).toEqual([
      expect.objectContaining({ noderoleId: 11, what: ['data', 'parents', 'order'] }),
    ]);
  });

  test('what runs again because its inputs move, but never a destructive one', () => {
    const made = makeBoard(makeCatalogue(ROLES), { bound: ['web@n1', 'wipe@n1'] });
    const plan = makePlan(
      inputOf(made, own(made), {
        standing: [
          standing(made, 'base@n1', { id: 10 }),
          standing(made, 'web@n1', { id: 11, cohort: 1, hard: [10] }),
          standing(made, 'wipe@n1', { id: 12 }),
        ],
        inputsMoved: new Set([11, 12]),
      }),
    );
    expect(names(plan.rerun)).toEqual(['web@n1']);
    expect(plan.destructive).toEqual([
      expect.objectContaining({ role: 'wipe', effect: 'stays as it is and is marked drifted' }),
    ]);
  });

  test('what is destructive, with the disks by name', () => {
    const made = makeBoard(makeCatalogue(ROLES), { bound: ['wipe@n1'] });
    const disks = [{ name: 'sda', serial: 'S1', bytes: 1000 }];
    const plan = makePlan(inputOf(made, own(made), { disks: new Map([[1, disks]]) }));
    expect(plan.destructive).toEqual([
      expect.objectContaining({ node: 'n1', disks, effect: 'runs once consent is given' }),
    ]);
  });

  test('what is torn down and what is only forgotten; what others need is refused', () => {
    const made = makeBoard(makeCatalogue(ROLES));
    const plan = makePlan(
      inputOf(made, [], {
        standing: [
          standing(made, 'web@n1', { id: 11 }),
          standing(made, 'base@n1', { id: 10, ran: false }),
        ],
        neededBy: new Map([[11, ['app@n9 in other']]]),
      }),
    );
    expect(plan.teardown.map((item) => `${item.role} ${item.how}`)).toEqual([
      'web teardown',
      'base forget',
    ]);
    expect(plan.refusals).toEqual([
      expect.objectContaining({
        code: 'needed',
        message: expect.stringMatching(/app@n9 in other/),
      }),
    ]);
  });

  test('bound again while it is still being removed: refused until it has gone', () => {
    const made = board();
    const plan = makePlan(
      inputOf(made, own(made), {
        standing: [standing(made, 'web@n1', { id: 11, removing: true })],
      }),
    );
    expect(plan.refusals).toEqual([expect.objectContaining({ code: 'being_removed' })]);
  });

  test('a role dropped from its barclamp goes on where it is bound', () => {
    const made = makeBoard(makeCatalogue([{ name: 'old', removed: true }]), { bound: ['old@n1'] });
    expect(makePlan(inputOf(made, own(made))).refusals).toEqual([]);
  });
});

test('the same content gives the same plan, whatever order it came in', () => {
  const roles: RoleText[] = [
    { name: 'a', flags: ['implicit'] },
    { name: 'b' },
    { name: 'c', flags: ['cluster'], requires: ['a'] },
    { name: 'd', requires: ['b', 'c'] },
    { name: 'e', requires: ['a'], after: ['d'] },
  ];
  const pairs = ['a', 'b', 'c', 'd', 'e'].flatMap((role) =>
    ['n1', 'n2', 'n3'].map((node) => `${role}@${node}`),
  );
  fc.assert(
    fc.property(
      fc
        .subarray(pairs)
        .chain((some) =>
          fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })),
        ),
      ([some, shuffled]) => {
        const planOf = (bound: readonly string[]) => {
          const board = makeBoard(makeCatalogue(roles), { bound });
          const plan = makePlan(inputOf(board, own(board)));
          return {
            add: names(plan.add).sort(),
            pulledIn: plan.pulledIn,
            refusals: plan.refusals,
            edges: plan.items
              .map(
                (item) =>
                  `${nameOf(board, item.bound)} ${item.cohort} < ${item.hard
                    .map((p) => nameOf(board, p))
                    .sort()
                    .join(' ')}`,
              )
              .sort(),
          };
        };
        expect(planOf(shuffled)).toEqual(planOf(some));
      },
    ),
  );
});

test('settling what is settled adds nothing', () => {
  const roles: RoleText[] = [
    { name: 'a', flags: ['implicit'] },
    { name: 'b', requires: ['a'] },
    { name: 'c', requires: ['b'] },
  ];
  fc.assert(
    fc.property(fc.subarray(['c@n1', 'b@n2', 'c@n3', 'a@n1'], { minLength: 1 }), (bound) => {
      const board = makeBoard(makeCatalogue(roles), { bound });
      const first = settle(board, [], own(board));
      const again = settle(board, [], own(board));
      expect(again.pulledIn).toEqual([]);
      expect(again.parents.size).toBe(first.parents.size);
    }),
  );
});

describe('what a plan was made from', () => {
  test('the hash holds as long as nothing read has moved, whatever the order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (readSet) => {
        const other = Object.fromEntries(Object.entries(readSet).toReversed());
        expect(hashReadSet(other, digest)).toBe(hashReadSet(readSet, digest));
      }),
    );
  });

  test('what moved is named, both ways', () => {
    expect(
      whatMoved(
        { 'node n1': '1', 'role web': '1', 'node n2': '1' },
        { 'node n1': '2', 'role web': '1', 'node n3': '1' },
      ),
    ).toEqual([
      { what: 'node n1', from: '1', to: '2' },
      { what: 'node n2', from: '1', to: null },
      { what: 'node n3', from: null, to: '1' },
    ]);
  });
});

test('five thousand nodes with twenty roles are planned', () => {
  const roles: RoleText[] = Array.from({ length: 20 }, (_, index) => ({
    name: `r${index}`,
    flags: ['implicit'],
    requires: index === 0 ? [] : [`r${index - 1}`],
  }));
  const nodes = Array.from({ length: 5000 }, (_, index) => `n${index}`);
  const catalogue = makeCatalogue(roles);
  const board = makeBoard(catalogue, {
    nodes,
  });
  const operator = nodes.flatMap((_, node) =>
    roles.map((__, role) => ({
      roleId: role + 1,
      nodeId: node + 1,
      deploymentId: 3,
      origin: 'operator' as const,
    })),
  );
  const filled = settle(board, operator);
  const plan = makePlan(inputOf(board, filled.added));
  expect(plan.add).toHaveLength(100_000);
  expect(plan.items.at(-1)?.cohort).toBe(19);
});
