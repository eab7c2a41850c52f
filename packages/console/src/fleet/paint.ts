/** Draws what is in view. All of it after a scroll; single cells after a change of state. */
import { LOOK_CODES, type FleetColumns } from './columns.ts';
import type { Arrangement } from './arrange.ts';
import { blockAt, HEADER, spotOf, type Layout, type Spot } from './layout.ts';
import type { Palette } from './palette.ts';
import { stamp, type Sprites } from './sprite.ts';
import { LOOK_LABEL } from '../ui/state.tsx';

export interface Scene {
  readonly fleet: FleetColumns;
  readonly arrangement: Arrangement;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly sprites: Sprites;
  readonly width: number;
  readonly height: number;
  readonly scroll: number;
  readonly hovered: number | undefined;
  readonly focused: number | undefined;
  readonly groupTitle: (label: string) => string;
}

type Pen = CanvasRenderingContext2D;
const FONT = `'Inter', system-ui, sans-serif`;

const SEPARATOR = '  ·  ';

const fitted = new Map<string, string>();
/** Cuts a name in the middle, where names of machines differ least. */
const fit = (pen: Pen, text: string, width: number): string => {
  const key = `${width}:${text}`;
  const known = fitted.get(key);
  if (known !== undefined) return known;
  let shown = text;
  for (let keep = text.length - 1; pen.measureText(shown).width > width && keep > 4; keep -= 1) {
    const head = Math.ceil(keep / 2);
    shown = `${text.slice(0, head)}…${text.slice(text.length - (keep - head))}`;
  }
  if (fitted.size > 5000) fitted.clear();
  fitted.set(key, shown);
  return shown;
};

/** Leaves out what comes last, at a separator, until the rest fits. */
const cut = (pen: Pen, text: string, width: number): string => {
  let shown = text;
  while (pen.measureText(shown).width > width) {
    const at = shown.lastIndexOf(SEPARATOR);
    if (at < 0) return '';
    shown = shown.slice(0, at);
  }
  return shown;
};

const paintNamed = (pen: Pen, scene: Scene, node: number, spot: Spot): void => {
  const { width, height } = scene.layout.cell;
  const code = scene.fleet.look[node] ?? 0;
  const look = LOOK_CODES[code] ?? 'down';
  pen.beginPath();
  pen.roundRect(spot.x + 0.5, spot.y + 0.5, width - 1, height - 1, 7);
  pen.fillStyle =
    look === 'active' || look === 'down' ? scene.palette.surface : scene.palette.soft[look];
  pen.fill();
  pen.lineWidth = 1;
  pen.strokeStyle =
    look === 'undefined' || look === 'error' ? scene.palette.look[look] : scene.palette.line;
  pen.stroke();
  stamp(pen, scene.sprites, code, { x: spot.x + 9, y: spot.y + (height - scene.sprites.size) / 2 });
  pen.fillStyle = look === 'down' ? scene.palette.ink2 : scene.palette.ink;
  pen.font = `500 12px ${FONT}`;
  pen.textBaseline = 'middle';
  pen.fillText(
    fit(pen, scene.fleet.name[node] ?? '', width - 36),
    spot.x + 28,
    spot.y + height / 2 + 0.5,
  );
};

const paintCell = (pen: Pen, scene: Scene, place: number, spot: Spot): void => {
  const node = scene.arrangement.order[place] ?? 0;
  if (scene.layout.density === 'names') paintNamed(pen, scene, node, spot);
  else stamp(pen, scene.sprites, scene.fleet.look[node] ?? 0, spot);
};

const ring = (pen: Pen, scene: Scene, place: number | undefined, colour: string): void => {
  const spot = place === undefined ? undefined : spotOf(scene.layout, place);
  if (spot === undefined) return;
  const { width, height } = scene.layout.cell;
  pen.beginPath();
  pen.roundRect(
    spot.x - 1,
    spot.y - scene.scroll - 1,
    width + 2,
    height + 2,
    scene.layout.density === 'names' ? 8 : 4,
  );
  pen.lineWidth = 2;
  pen.strokeStyle = colour;
  pen.stroke();
};

const paintHeader = (pen: Pen, scene: Scene, block: Layout['blocks'][number]): void => {
  if (block.cellsTop - block.top < HEADER) return;
  const y = block.top - scene.scroll + 14;
  pen.textBaseline = 'middle';
  pen.font = `600 12.5px ${FONT}`;
  pen.fillStyle = scene.palette.ink;
  const title = fit(pen, scene.groupTitle(block.label), block.width * 0.6);
  pen.fillText(title, block.left, y);
  const used = pen.measureText(title).width + 8;
  pen.font = `400 12px ${FONT}`;
  pen.fillStyle = scene.palette.ink3;
  pen.fillText(cut(pen, summary(scene, block), block.width - used), block.left + used, y);
};

const summary = (scene: Scene, block: Layout['blocks'][number]): string => {
  const sums = new Uint32Array(LOOK_CODES.length);
  for (let place = block.start; place < block.start + block.count; place += 1) {
    const code = scene.fleet.look[scene.arrangement.order[place] ?? 0] ?? 0;
    sums[code] = (sums[code] ?? 0) + 1;
  }
  const parts = LOOK_CODES.map((look, code) => [look, sums[code] ?? 0] as const)
    .filter(([look, sum]) => sum > 0 && look !== 'active')
    .toReversed()
    .map(([look, sum]) => `${sum} ${LOOK_LABEL[look].toLowerCase()}`);
  return [
    `${block.count.toLocaleString('en')} ${block.count === 1 ? 'node' : 'nodes'}`,
    ...parts,
  ].join(SEPARATOR);
};

/** Everything between two heights of the view; what is outside is left as it is. */
const paintBand = (pen: Pen, scene: Scene, from: number, to: number): void => {
  const { layout, scroll } = scene;
  pen.fillStyle = scene.palette.surface;
  pen.fillRect(0, from, scene.width, to - from);
  for (let at = blockAt(layout, scroll + from); at < layout.blocks.length; at += 1) {
    const block = layout.blocks[at];
    if (block === undefined || block.top > scroll + to) break;
    paintHeader(pen, scene, block);
    const firstRow = Math.max(0, Math.floor((scroll + from - block.cellsTop) / layout.pitchY));
    const lastRow = Math.ceil((scroll + to - block.cellsTop) / layout.pitchY);
    const first = firstRow * block.columns;
    const last = Math.min(block.count, lastRow * block.columns);
    let column = 0;
    let y = block.cellsTop + firstRow * layout.pitchY - scroll;
    for (let within = first; within < last; within += 1) {
      paintCell(pen, scene, block.start + within, { x: block.left + column * layout.pitchX, y });
      column += 1;
      if (column === block.columns) {
        column = 0;
        y += layout.pitchY;
      }
    }
  }
};

export const paintScene = (pen: Pen, scene: Scene): void => {
  paintBand(pen, scene, 0, scene.height);
  ring(pen, scene, scene.hovered, scene.palette.ink3);
  ring(pen, scene, scene.focused, scene.palette.accent);
};

/**
 * Scrolled by less than a view: what is drawn already is moved, only the rest is drawn. At 10,000
 * nodes that is a fifth of the work of drawing all.
 */
export const paintScrolled = (pen: Pen, scene: Scene, by: number): void => {
  pen.save();
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(pen.canvas, 0, -Math.round(by * devicePixelRatio));
  pen.restore();
  const [from, to] = by > 0 ? [scene.height - by, scene.height] : [0, -by];
  pen.save();
  pen.beginPath();
  pen.rect(0, from, scene.width, to - from);
  pen.clip();
  paintBand(pen, scene, from, to);
  pen.restore();
};

/** The lines over the groups: their counts follow the states. */
export const paintHeaders = (pen: Pen, scene: Scene): void => {
  const { layout, scroll } = scene;
  for (let at = blockAt(layout, scroll); at < layout.blocks.length; at += 1) {
    const block = layout.blocks[at];
    if (block === undefined || block.top > scroll + scene.height) break;
    if (block.cellsTop - block.top < HEADER || block.cellsTop < scroll) continue;
    pen.fillStyle = scene.palette.surface;
    pen.fillRect(block.left, block.top - scroll, block.width, HEADER - 4);
    paintHeader(pen, scene, block);
  }
};

/** Only the given places, where they are in view. */
export const paintPlaces = (pen: Pen, scene: Scene, places: Iterable<number>): void => {
  const { width, height } = scene.layout.cell;
  pen.fillStyle = scene.palette.surface;
  for (const place of places) {
    const spot = spotOf(scene.layout, place);
    if (spot === undefined) continue;
    const y = spot.y - scene.scroll;
    if (y < -height || y > scene.height) continue;
    pen.fillStyle = scene.palette.surface;
    pen.fillRect(spot.x, y, width, height);
    paintCell(pen, scene, place, { x: spot.x, y });
  }
};
