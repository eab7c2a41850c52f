import fc from 'fast-check';
import { NODEROLE_STATES } from '@hostwright/core/noderole/state';
import { expect, test } from 'vitest';
import {
  dropNode,
  emptyFleet,
  lookOf,
  moveNoderole,
  putNode,
  refreshLook,
  tally,
  WIDTH,
  type FleetNode,
} from './columns.ts';

const node = (id: number, more: Partial<FleetNode> = {}): FleetNode => ({
  id,
  name: `n${id}`,
  deployment: 1,
  alive: true,
  available: true,
  admin: false,
  labels: null,
  counts: [0, 0, 0, 0, 0, 0],
  work: 0,
  ...more,
});

test('a machine without a role looks undefined, the admin node does not', () => {
  const fleet = emptyFleet();
  expect(lookOf(fleet, putNode(fleet, node(1)))).toBe('undefined');
  expect(lookOf(fleet, putNode(fleet, node(2, { admin: true })))).toBe('active');
});

test('trouble comes before work, and work before being silent', () => {
  const fleet = emptyFleet();
  const at = putNode(fleet, node(1, { alive: false, counts: [0, 1, 1, 1, 1, 1], work: 5 }));
  expect(lookOf(fleet, at)).toBe('error');
  moveNoderole(fleet, { node: 1, from: 'error', to: 'active', system: false });
  expect(lookOf(fleet, at)).toBe('transition');
  moveNoderole(fleet, { node: 1, from: 'transition', to: 'active', system: false });
  expect(lookOf(fleet, at)).toBe('down');
});

test('a noderole that goes away makes the machine undefined again', () => {
  const fleet = emptyFleet();
  const at = putNode(fleet, node(7));
  moveNoderole(fleet, { node: 7, from: null, to: 'todo', system: false });
  expect(lookOf(fleet, at)).toBe('todo');
  moveNoderole(fleet, { node: 7, from: 'todo', to: null, system: false });
  expect(lookOf(fleet, at)).toBe('undefined');
});

test('events that were already in the read never make a count negative', () => {
  const fleet = emptyFleet();
  const at = putNode(fleet, node(1, { counts: [0, 0, 0, 0, 1, 0], work: 1 }));
  moveNoderole(fleet, { node: 1, from: 'todo', to: 'transition', system: false });
  expect(
    [...fleet.counts.subarray(at * WIDTH, at * WIDTH + WIDTH)].every((count) => count >= 0),
  ).toBe(true);
});

test('whatever comes and goes, the columns agree with a plain map', () => {
  const step = fc.oneof(
    fc.record({
      put: fc.integer({ min: 1, max: 150 }),
      state: fc.constantFrom(...NODEROLE_STATES),
    }),
    fc.record({ drop: fc.integer({ min: 1, max: 150 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const fleet = emptyFleet(2);
      const plain = new Map<number, number>();
      for (const each of steps) {
        if ('drop' in each) {
          dropNode(fleet, each.drop);
          plain.delete(each.drop);
        } else {
          const state = NODEROLE_STATES.indexOf(each.state);
          const counts = NODEROLE_STATES.map((_, at) => (at === state ? 1 : 0));
          putNode(fleet, node(each.put, { counts, work: 1 }));
          plain.set(each.put, state);
        }
      }
      expect(fleet.size).toBe(plain.size);
      for (const [id, state] of plain) {
        const at = fleet.at.get(id) ?? -1;
        expect(fleet.id[at]).toBe(id);
        expect(fleet.counts[at * WIDTH + state]).toBe(1);
        expect(refreshLook(fleet, at)).toBe(false);
      }
      expect(Object.values(tally(fleet)).reduce((sum, count) => sum + count, 0)).toBe(plain.size);
    }),
    { numRuns: 60 },
  );
});
