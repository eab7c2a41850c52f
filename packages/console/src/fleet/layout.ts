/** Where each cell of the grid stands; hit testing and keyboard moves. Pure. */
import type { Arrangement } from './arrange.ts';

export const DENSITIES = {
  names: { width: 150, height: 32, gap: 6 },
  cells: { width: 18, height: 18, gap: 3 },
  dense: { width: 11, height: 11, gap: 2 },
} as const;
export type Density = keyof typeof DENSITIES;

export const HEADER = 30;
const GROUP_GAP = 14;
const PAD = 20;

interface Block {
  readonly label: string;
  readonly start: number;
  readonly count: number;
  readonly top: number;
  readonly cellsTop: number;
  readonly bottom: number;
}

export interface Layout {
  readonly density: Density;
  readonly columns: number;
  readonly pitchX: number;
  readonly pitchY: number;
  readonly left: number;
  readonly height: number;
  readonly total: number;
  readonly blocks: readonly Block[];
}

export const layOut = (arrangement: Arrangement, width: number, density: Density): Layout => {
  const size = DENSITIES[density];
  const pitchX = size.width + size.gap;
  const pitchY = size.height + size.gap;
  const columns = Math.max(1, Math.floor((width - 2 * PAD + size.gap) / pitchX));
  let top = PAD - 4;
  const blocks = arrangement.groups.map((group) => {
    const cellsTop = top + (group.label === '' && arrangement.groups.length === 1 ? 4 : HEADER);
    const bottom = cellsTop + Math.ceil(group.count / columns) * pitchY;
    const block = { ...group, top, cellsTop, bottom };
    top = bottom + GROUP_GAP;
    return block;
  });
  return {
    density,
    columns,
    pitchX,
    pitchY,
    left: PAD,
    height: top + PAD,
    total: arrangement.order.length,
    blocks,
  };
};

/** The first block whose bottom is below y, by bisection. */
export const blockAt = (layout: Layout, y: number): number => {
  let low = 0;
  let high = layout.blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((layout.blocks[middle]?.bottom ?? 0) <= y) low = middle + 1;
    else high = middle;
  }
  return low;
};

export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Place in the order -> where it stands. */
export const spotOf = (layout: Layout, place: number): Spot | undefined => {
  const block = blockOfPlace(layout, place);
  if (block === undefined) return undefined;
  const within = place - block.start;
  return {
    x: layout.left + (within % layout.columns) * layout.pitchX,
    y: block.cellsTop + Math.floor(within / layout.columns) * layout.pitchY,
  };
};

const blockOfPlace = (layout: Layout, place: number): Block | undefined => {
  if (place < 0 || place >= layout.total) return undefined;
  let low = 0;
  let high = layout.blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((layout.blocks[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return layout.blocks[low];
};

/** Where the pointer is -> place in the order, or undefined between cells. */
export const placeAt = (layout: Layout, x: number, y: number): number | undefined => {
  const block = layout.blocks[blockAt(layout, y)];
  if (block === undefined || y < block.cellsTop || x < layout.left) return undefined;
  const column = Math.floor((x - layout.left) / layout.pitchX);
  if (column >= layout.columns) return undefined;
  const within = Math.floor((y - block.cellsTop) / layout.pitchY) * layout.columns + column;
  return within < block.count ? block.start + within : undefined;
};

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
  for (let reach = 0; reach < 60; reach += 1) {
    const found = placeAt(layout, x, y + reach * 8) ?? placeAt(layout, layout.left, y + reach * 8);
    if (found !== undefined) return found;
  }
  return otherwise;
};

const vertical = (layout: Layout, place: number, step: 1 | -1): number => {
  const at = layout.blocks.findIndex(
    (block) => place >= block.start && place < block.start + block.count,
  );
  const block = layout.blocks[at];
  if (block === undefined) return place;
  const within = place - block.start;
  const target = within + step * layout.columns;
  if (target >= 0 && target < block.count) return block.start + target;
  const lastRow = Math.floor((block.count - 1) / layout.columns);
  if (step === 1 && Math.floor(within / layout.columns) < lastRow)
    return block.start + block.count - 1;
  const neighbour = layout.blocks[at + step];
  if (neighbour === undefined) return place;
  const column = within % layout.columns;
  if (step === 1) return neighbour.start + Math.min(column, neighbour.count - 1);
  const row = Math.floor((neighbour.count - 1) / layout.columns);
  return neighbour.start + Math.min(row * layout.columns + column, neighbour.count - 1);
};
