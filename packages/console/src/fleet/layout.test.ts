import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrange, NEW_MACHINES, type ArrangeOptions } from './arrange.ts';
import { emptyFleet, putNode } from './columns.ts';
import { blockOfPlace, DENSITIES, layOut, placeAt, spotOf, type Density } from './layout.ts';
import { movePlace, type Move } from './move-place.ts';

const fleetOf = (racks: readonly number[]) => {
  const fleet = emptyFleet();
  let id = 0;
  racks.forEach((size, rack) => {
    for (let at = 0; at < size; at += 1) {
      id += 1;
      putNode(fleet, {
        id,
        name: `r${rack}-${at}`,
        deployment: 1,
        alive: true,
        available: true,
        admin: false,
        labels: { rack: `r${rack}` },
        counts: [0, 0, 0, 0, 1, 0],
        work: 1,
      });
    }
  });
  return fleet;
};
const OPTIONS: ArrangeOptions = {
  group: 'rack',
  search: '',
  looks: null,
  deploymentName: () => 'shop',
};
const densities = fc.constantFrom(...(Object.keys(DENSITIES) as Density[]));
const racks = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 });

test('the cell under the pointer is the cell that is drawn there', () => {
  fc.assert(
    fc.property(racks, densities, fc.integer({ min: 200, max: 1600 }), (sizes, density, width) => {
      const arrangement = arrange(fleetOf(sizes), OPTIONS);
      const layout = layOut(arrangement, width, density);
      for (let place = 0; place < layout.total; place += 1) {
        const spot = spotOf(layout, place);
        expect(spot && placeAt(layout, spot.x + 2, spot.y + 2)).toBe(place);
      }
    }),
    { numRuns: 40 },
  );
});

test('cells of different groups never overlap, and none stands outside the view', () => {
  fc.assert(
    fc.property(racks, densities, fc.integer({ min: 320, max: 1600 }), (sizes, density, width) => {
      const layout = layOut(arrange(fleetOf(sizes), OPTIONS), width, density);
      const taken = new Set<string>();
      for (let place = 0; place < layout.total; place += 1) {
        const spot = spotOf(layout, place);
        expect((spot?.x ?? 0) + layout.cell.width).toBeLessThanOrEqual(width);
        taken.add(`${spot?.x}:${spot?.y}`);
      }
      expect(taken.size).toBe(layout.total);
    }),
    { numRuns: 40 },
  );
});

test('small groups share a shelf, a large one has its own', () => {
  const layout = layOut(arrange(fleetOf([4, 3, 2, 400, 4]), OPTIONS), 1200, 'names');
  const shelves = layout.blocks.map((block) => block.top);
  expect(new Set(shelves.slice(0, 3)).size).toBe(1);
  expect(new Set(shelves).size).toBe(3);
});

test('no key leads out of the grid, and down and up reach the last and the first shelf', () => {
  fc.assert(
    fc.property(
      racks,
      fc.array(
        fc.constantFrom<Move>('left', 'right', 'up', 'down', 'pageup', 'pagedown', 'home', 'end'),
        { maxLength: 60 },
      ),
      (sizes, moves) => {
        const layout = layOut(arrange(fleetOf(sizes), OPTIONS), 500, 'cells');
        let place = 0;
        for (const move of moves) {
          place = movePlace(layout, place, move);
          expect(place).toBeGreaterThanOrEqual(0);
          expect(place).toBeLessThan(layout.total);
        }
        for (let at = 0; at < 2000; at += 1) place = movePlace(layout, place, 'down');
        expect(blockOfPlace(layout, place)?.top).toBe(layout.blocks.at(-1)?.top);
        for (let at = 0; at < 2000; at += 1) place = movePlace(layout, place, 'up');
        expect(blockOfPlace(layout, place)?.top).toBe(layout.blocks[0]?.top);
      },
    ),
    { numRuns: 40 },
  );
});

test('search takes every word, in name, deployment or label', () => {
  const fleet = fleetOf([3, 3]);
  const found = (search: string) => arrange(fleet, { ...OPTIONS, search }).order.length;
  expect(found('r1-')).toBe(3);
  expect(found('rack=r0')).toBe(3);
  expect(found('shop r0-1')).toBe(1);
  expect(found('r0 nothing')).toBe(0);
});

test('nodes without the label come last', () => {
  const fleet = fleetOf([2]);
  putNode(fleet, {
    id: 99,
    name: 'alone',
    deployment: 1,
    alive: true,
    available: true,
    admin: false,
    labels: null,
    counts: [0, 0, 0, 0, 1, 0],
    work: 1,
  });
  expect(arrange(fleet, OPTIONS).groups.map((group) => group.label)).toEqual(['r0', '']);
});

test('machines nobody has given a role are shown first, whatever the deployments are called', () => {
  const fleet = fleetOf([2]);
  const counts = [0, 0, 0, 0, 1, 0];
  const machine = { deployment: 1, alive: true, available: true, admin: false, labels: null };
  putNode(fleet, { ...machine, id: 98, name: 'zz-new', counts, work: 0 });
  const { groups } = arrange(fleet, { ...OPTIONS, group: 'deployment' });
  expect(groups.map((group) => group.label)).toEqual([NEW_MACHINES, 'shop']);
});

test.each(['__proto__', 'constructor', 'toString'])('grouping by %s breaks nothing', (group) => {
  const { groups } = arrange(fleetOf([2]), { ...OPTIONS, group });
  expect(groups.map((each) => each.label)).toEqual(['']);
});
