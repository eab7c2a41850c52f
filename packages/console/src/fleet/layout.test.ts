import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrange, type ArrangeOptions } from './arrange.ts';
import { emptyFleet, putNode } from './columns.ts';
import {
  DENSITIES,
  layOut,
  movePlace,
  placeAt,
  spotOf,
  type Density,
  type Move,
} from './layout.ts';

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

test('no key leads out of the grid, and down and up reach every group', () => {
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
        const last = layout.blocks.at(-1);
        expect(place).toBeGreaterThanOrEqual(last?.start ?? 0);
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
