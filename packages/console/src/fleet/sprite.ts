/**
 * One small picture per look and size, drawn once and then only copied: colour plus a mark, so that
 * states stay apart without colour. Copying costs about a microsecond; drawing paths, ten.
 */
import type { Look } from '../ui/state.tsx';
import { LOOK_CODES } from './columns.ts';
import type { Palette } from './palette.ts';

type Pen = OffscreenCanvasRenderingContext2D;

const line = (pen: Pen, points: readonly number[]): void => {
  pen.beginPath();
  pen.moveTo(points[0] ?? 0, points[1] ?? 0);
  for (let at = 2; at < points.length; at += 2) pen.lineTo(points[at] ?? 0, points[at + 1] ?? 0);
  pen.stroke();
};

const mark = (pen: Pen, look: Look, s: number, palette: Palette): void => {
  const inset = s * 0.3;
  pen.lineWidth = Math.max(1.2, s * 0.11);
  pen.strokeStyle = palette.surface;
  pen.fillStyle = palette.surface;
  switch (look) {
    case 'error':
      line(pen, [inset, inset, s - inset, s - inset]);
      line(pen, [s - inset, inset, inset, s - inset]);
      return;
    case 'blocked':
      line(pen, [inset, s / 2, s - inset, s / 2]);
      return;
    case 'transition':
      pen.beginPath();
      pen.moveTo(s * 0.36, s * 0.27);
      pen.lineTo(s * 0.74, s / 2);
      pen.lineTo(s * 0.36, s * 0.73);
      pen.fill();
      return;
    case 'todo':
      pen.beginPath();
      pen.arc(s / 2, s / 2, s * 0.16, 0, 7);
      pen.fill();
      return;
    case 'down':
      pen.strokeStyle = palette.look.down;
      line(pen, [inset * 0.8, s - inset * 0.8, s - inset * 0.8, inset * 0.8]);
      return;
    case 'undefined':
      pen.fillStyle = palette.look.undefined;
      pen.beginPath();
      pen.arc(s / 2, s / 2, s * 0.17, 0, 7);
      pen.fill();
      return;
    case 'active':
    case 'proposed':
  }
};

const HOLLOW: ReadonlySet<Look> = new Set<Look>(['down', 'undefined', 'proposed']);

export interface Sprites {
  readonly sheet: OffscreenCanvas;
  readonly size: number;
  readonly scale: number;
}

export const drawSprites = (palette: Palette, size: number, scale: number): Sprites => {
  const cell = Math.ceil(size * scale);
  const sheet = new OffscreenCanvas(cell * LOOK_CODES.length, cell);
  const pen = sheet.getContext('2d');
  if (pen === null) return { sheet, size, scale };
  const radius = size * 0.24;
  LOOK_CODES.forEach((look, code) => {
    pen.setTransform(scale, 0, 0, scale, code * cell, 0);
    pen.setLineDash([]);
    pen.beginPath();
    if (HOLLOW.has(look)) {
      const edge = look === 'undefined' ? Math.max(1.5, size * 0.12) : 1.2;
      pen.roundRect(edge / 2, edge / 2, size - edge, size - edge, radius);
      pen.fillStyle = palette.soft[look];
      pen.fill();
      pen.lineWidth = edge;
      if (look === 'proposed') pen.setLineDash([2, 1.6]);
      pen.strokeStyle = palette.look[look];
      pen.stroke();
      pen.setLineDash([]);
    } else {
      pen.roundRect(0, 0, size, size, radius);
      pen.fillStyle = palette.look[look];
      pen.fill();
    }
    mark(pen, look, size, palette);
  });
  return { sheet, size, scale };
};

export const stamp = (
  pen: CanvasRenderingContext2D,
  sprites: Sprites,
  code: number,
  spot: { readonly x: number; readonly y: number },
): void => {
  const cell = sprites.sheet.height;
  pen.drawImage(
    sprites.sheet,
    code * cell,
    0,
    cell,
    cell,
    spot.x,
    spot.y,
    sprites.size,
    sprites.size,
  );
};
