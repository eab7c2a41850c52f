/**
 * Where each cell of the grid stands; hit testing and keyboard moves. Pure. Groups are laid on
 * shelves: small ones side by side in tiles of one width, large ones over the whole of it.
 */
import type { Arrangement } from './arrange.ts';

/** `tile`: the least width of a group, so that its heading can be read; `rows`: when a group takes one more tile. */
export const DENSITIES = {
  names: { width: 150, height: 32, gap: 6, tile: 306, rows: 4 },
  cells: { width: 18, height: 18, gap: 3, tile: 190, rows: 6 },
  dense: { width: 11, height: 11, gap: 2, tile: 170, rows: 9 },
} as const;
export type Density = keyof typeof DENSITIES;

export const HEADER = 30;
export const GROUP_GAP = 14;
const TILE_GAP = 28;
const PAD = 20;

export interface Block {
  readonly label: string;
  readonly start: number;
  readonly count: number;
  readonly left: number;
  readonly width: number;
  readonly columns: number;
  /** Of the whole shelf, so that both only grow from block to block. */
  readonly top: number;
  readonly bottom: number;
  readonly cellsTop: number;
}

export interface Layout {
  readonly density: Density;
  readonly cell: { readonly width: number; readonly height: number };
  readonly pitchX: number;
  readonly pitchY: number;
  readonly height: number;
  readonly total: number;
  readonly blocks: readonly Block[];
}

interface Tiling {
  readonly tiles: number;
  readonly tileWidth: number;
  readonly cellWidth: number;
  readonly pitchX: number;
}

/** As many tiles as fit, stretched to fill the width; names are stretched with them. */
const tilingOf = (width: number, density: Density): Tiling => {
  const size = DENSITIES[density];
  const available = Math.max(size.width, width - 2 * PAD);
  const tiles = Math.max(1, Math.floor((available + TILE_GAP) / (size.tile + TILE_GAP)));
  const tileWidth = Math.floor((available - (tiles - 1) * TILE_GAP) / tiles);
  const stretched = Math.floor((tileWidth - size.gap) / 2);
  const cellWidth = density === 'names' && stretched >= 120 ? stretched : size.width;
  return { tiles, tileWidth, cellWidth, pitchX: cellWidth + size.gap };
};

export const layOut = (arrangement: Arrangement, width: number, density: Density): Layout => {
  const size = DENSITIES[density];
  const { tiles, tileWidth, cellWidth, pitchX } = tilingOf(width, density);
  const pitchY = size.height + size.gap;
  const widthOf = (span: number) => span * tileWidth + (span - 1) * TILE_GAP;
  const columnsOf = (span: number) => Math.max(1, Math.floor((widthOf(span) + size.gap) / pitchX));
  const spanOf = (count: number) => {
    let span = 1;
    while (span < tiles && Math.ceil(count / columnsOf(span)) > size.rows) span += 1;
    return span;
  };
  const alone = arrangement.groups.length === 1;
  const blocks: Block[] = [];
  let top = PAD - 4;
  let at = 0;
  while (at < arrangement.groups.length) {
    // one shelf: groups as long as their tiles fit
    const shelf: { readonly group: Arrangement['groups'][number]; readonly from: number }[] = [];
    const spans: number[] = [];
    let used = 0;
    let rows = 0;
    for (; at < arrangement.groups.length; at += 1) {
      const group = arrangement.groups[at];
      if (group === undefined) break;
      const span = alone ? tiles : spanOf(group.count);
      if (used + span > tiles) break;
      shelf.push({ group, from: used });
      spans.push(span);
      used += span;
      rows = Math.max(rows, Math.ceil(group.count / columnsOf(span)));
    }
    const cellsTop = top + (alone && shelf[0]?.group.label === '' ? 4 : HEADER);
    const bottom = cellsTop + rows * pitchY;
    shelf.forEach(({ group, from }, place) => {
      const span = spans[place] ?? 1;
      const left = PAD + from * (tileWidth + TILE_GAP);
      const columns = columnsOf(span);
      blocks.push({ ...group, left, width: widthOf(span), columns, top, bottom, cellsTop });
    });
    top = bottom + GROUP_GAP;
  }
  return {
    density,
    cell: { width: cellWidth, height: size.height },
    pitchX,
    pitchY,
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
    x: block.left + (within % block.columns) * layout.pitchX,
    y: block.cellsTop + Math.floor(within / block.columns) * layout.pitchY,
  };
};

export const blockOfPlace = (layout: Layout, place: number): Block | undefined => {
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

/** The block of the shelf at this height whose tiles are at x, or the last one before x. */
export const blockUnder = (layout: Layout, x: number, y: number): Block | undefined => {
  let found: Block | undefined;
  for (let at = blockAt(layout, y); at < layout.blocks.length; at += 1) {
    const block = layout.blocks[at];
    if (block === undefined || (found !== undefined && block.top !== found.top)) break;
    if (found === undefined || block.left <= x) found = block;
  }
  return found;
};

/** Where the pointer is -> place in the order, or undefined between cells. */
export const placeAt = (layout: Layout, x: number, y: number): number | undefined => {
  const block = blockUnder(layout, x, y);
  if (block === undefined || y < block.cellsTop || x < block.left) return undefined;
  const column = Math.floor((x - block.left) / layout.pitchX);
  if (column >= block.columns) return undefined;
  const within = Math.floor((y - block.cellsTop) / layout.pitchY) * block.columns + column;
  return within < block.count ? block.start + within : undefined;
};
