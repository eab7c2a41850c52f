/** Where a key leads from a cell of the grid. Pure. */
import { blockOfPlace, blockUnder, GROUP_GAP, spotOf, type Block, type Layout } from './layout.ts';

export type Move = 'left' | 'right' | 'up' | 'down' | 'home' | 'end' | 'pageup' | 'pagedown';

export const movePlace = (layout: Layout, place: number, move: Move): number => {
  const clamp = (value: number) => Math.max(0, Math.min(layout.total - 1, value));
  switch (move) {
    case 'left':
      return clamp(place - 1);
    case 'right':
      return clamp(place + 1);
    case 'home':
      return 0;
    case 'end':
      return clamp(layout.total - 1);
    case 'pageup':
    case 'pagedown': {
      const spot = spotOf(layout, place);
      if (spot === undefined) return clamp(place);
      return nearest(layout, spot.x, spot.y + (move === 'pagedown' ? 420 : -420), place);
    }
    case 'up':
    case 'down':
    default:
      return vertical(layout, place, move === 'down' ? 1 : -1);
  }
};

const nearest = (layout: Layout, x: number, y: number, otherwise: number): number => {
  if (y <= 0) return 0;
  if (y >= layout.height) return Math.max(0, layout.total - 1);
  const block = blockUnder(layout, x, y);
  return block === undefined ? otherwise : closestIn(layout, block, x, y);
};

/** The cell of a block that is nearest to a spot. */
const closestIn = (layout: Layout, block: Block, x: number, y: number): number => {
  const column = Math.max(
    0,
    Math.min(block.columns - 1, Math.round((x - block.left) / layout.pitchX)),
  );
  const lastRow = Math.floor((block.count - 1) / block.columns);
  const row = Math.floor((y - block.cellsTop) / layout.pitchY);
  const within = Math.max(0, Math.min(lastRow, row)) * block.columns + column;
  return block.start + Math.min(within, block.count - 1);
};

const vertical = (layout: Layout, place: number, step: 1 | -1): number => {
  const block = blockOfPlace(layout, place);
  const spot = spotOf(layout, place);
  if (block === undefined || spot === undefined) return place;
  const within = place - block.start;
  const target = within + step * block.columns;
  if (target >= 0 && target < block.count) return block.start + target;
  const lastRow = Math.floor((block.count - 1) / block.columns);
  if (step === 1 && Math.floor(within / block.columns) < lastRow)
    return block.start + block.count - 1;
  // on to the next shelf, to what stands below or above
  const y = step === 1 ? block.bottom + GROUP_GAP : block.top - GROUP_GAP - 1;
  const neighbour = y < 0 || y > layout.height ? undefined : blockUnder(layout, spot.x, y);
  if (neighbour === undefined || neighbour.top === block.top) return place;
  return closestIn(layout, neighbour, spot.x, step === 1 ? 0 : neighbour.bottom);
};
