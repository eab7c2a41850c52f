import {
  buildCatalogue,
  buildGraph,
  findRoleCycles,
  refuseRoleCycles,
  settle,
} from '@hostwright/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeBoard, makeCatalogue, makeRole, nameOf, request, type RoleText } from './fixture.ts';

const graphOf = (
  roles: readonly RoleText[],
  pairs: readonly string[],
  bound: readonly string[] = [],
) => {
  const board = makeBoard(makeCatalogue(roles), { bound });
  const settled = settle(
    board,
    pairs.map((pair) => request(board, pair)),
  );
  const graph = buildGraph(board, [...settled.parents.keys()], () => 4);
  return {
    ...graph,
    cohorts: Object.fromEntries(
      graph.items.map((item) => [nameOf(board, item.bound), item.cohort]),
    ),
    soft: Object.fromEntries(
      graph.items.map((item) => [
        nameOf(board, item.bound),
        item.soft.map((bound) => nameOf(board, bound)),
      ]),
    ),
  };
};

describe('cohorts', () => {
  test('the longest way from a root counts, not the shortest', () => {
    const { cohorts } = graphOf(
      [
        { name: 'a', flags: ['implicit'] },
        { name: 'b', flags: ['implicit'], requires: ['a'] },
        { name: 'c', requires: ['a', 'b'] },
      ],
      ['c@n1'],
    );
    expect(cohorts).toEqual({ 'a@n1': 0, 'b@n1': 1, 'c@n1': 2 });
  });

  test('a parent in another deployment counts from where it stands', () => {
    const { cohorts } = graphOf(
      [{ name: 'dns' }, { name: 'web', requires: ['dns'] }],
      ['web@n1'],
      ['dns@n2:1'],
    );
    expect(cohorts).toEqual({ 'web@n1': 5 });
  });

  test('soft order counts where both are bound, and pulls nothing in', () => {
    const roles = [{ name: 'agent' }, { name: 'web', after: ['agent'] }];
    expect(graphOf(roles, ['web@n1'])).toMatchObject({ cohorts: { 'web@n1': 0 } });
    expect(graphOf(roles, ['web@n1', 'agent@n1'])).toMatchObject({
      cohorts: { 'agent@n1': 0, 'web@n1': 1 },
      soft: { 'web@n1': ['agent@n1'] },
    });
  });

  test('for any acyclic roles each noderole stands after all its parents, and right after one', () => {
    const roles = fc.integer({ min: 1, max: 8 }).chain((count) =>
      fc.tuple(
        ...Array.from({ length: count }, (_, index) =>
          fc.record({
            requires: fc.subarray(Array.from({ length: index }, (_, before) => `r${before}`)),
            implicit: fc.boolean(),
            cluster: fc.boolean(),
          }),
        ),
      ),
    );
    fc.assert(
      fc.property(roles, fc.subarray(['n1', 'n2', 'n3'], { minLength: 1 }), (drawn, nodes) => {
        const texts: RoleText[] = drawn.map(({ requires, implicit, cluster }, index) => ({
          name: `r${index}`,
          requires,
          flags: [
            ...(implicit ? (['implicit'] as const) : []),
            ...(cluster ? (['cluster'] as const) : []),
          ],
        }));
        const { items, refusals } = graphOf(
          texts,
          nodes.map((node) => `r${drawn.length - 1}@${node}`),
        );
        expect(refusals).toEqual([]);
        const cohort = new Map(items.map((item) => [item.bound, item.cohort]));
        for (const item of items) {
          const above = item.hard.map((parent) => cohort.get(parent) ?? Number.NaN);
          expect(item.cohort).toBe(above.length === 0 ? 0 : Math.max(...above) + 1);
        }
      }),
    );
  });
});

describe('circles', () => {
  test('among roles: every one is named as a chain', () => {
    const catalogue = makeCatalogue([
      { name: 'a', requires: ['b'] },
      { name: 'b', after: ['c'] },
      { name: 'c', requires: ['a'] },
      { name: 'd' },
    ]);
    expect(findRoleCycles(catalogue)).toEqual([['a', 'b', 'c', 'a']]);
    expect(refuseRoleCycles(catalogue)[0]?.message).toMatch(/a -> b -> c -> a/);
  });

  test('among noderoles, through what is provided: refused with the chain', () => {
    const { refusals } = graphOf(
      [
        { name: 'x', provides: ['px'], requires: ['py'] },
        { name: 'y', provides: ['py'], requires: ['px'] },
      ],
      ['x@n1', 'y@n1'],
    );
    expect(refusals).toEqual([
      expect.objectContaining({
        code: 'cycle',
        message: expect.stringMatching(/x@n1 -> y@n1 -> x@n1/),
      }),
    ]);
  });

  test('a chain of three thousand roles is no circle and no stack overflow', () => {
    const roles = Array.from({ length: 3000 }, (_, index) =>
      makeRole({ name: `r${index}`, requires: index === 0 ? [] : [`r${index - 1}`] }, index + 1),
    );
    expect(findRoleCycles(buildCatalogue({ roles, attribs: [], jigs: ['noop'] }))).toEqual([]);
  });
});
