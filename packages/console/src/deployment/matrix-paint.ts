/** Draws the part of the matrix that is in view: names at the left, a mark per noderole. */
import { LOOK_LABEL } from '../ui/state.tsx';
import type { Palette } from '../fleet/palette.ts';
import { stamp, type Sprites } from '../fleet/sprite.ts';
import { lookAt, MATRIX_BITS, NONE, type Frame, type Matrix } from './matrix-model.ts';

export interface MatrixScene {
  readonly matrix: Matrix;
  readonly frame: Frame;
  readonly palette: Palette;
  readonly sprites: Sprites;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly selected: ReadonlySet<string>;
  readonly column: number | undefined;
  readonly cell: number | undefined;
  readonly row: number | undefined;
}

type Pen = CanvasRenderingContext2D;
const FONT = `'Inter', system-ui, sans-serif`;
const MARK = 14;

const note = (bits: number): string => {
  if ((bits & MATRIX_BITS.removing) !== 0) return 'removing';
  if ((bits & MATRIX_BITS.drifted) !== 0) return 'drifted';
  if ((bits & MATRIX_BITS.degraded) !== 0) return 'degraded';
  if ((bits & MATRIX_BITS.held) !== 0) return 'held';
  return '';
};

const paintCell = (pen: Pen, scene: MatrixScene, cell: number, x: number, y: number): void => {
  const { frame, matrix, palette } = scene;
  const code = matrix.look[cell] ?? NONE;
  const markX = frame.wide ? x + 12 : x + (frame.column - MARK) / 2;
  const markY = y + (frame.row - MARK) / 2;
  if (code === NONE) {
    pen.fillStyle = palette.line;
    pen.fillRect(markX + MARK / 2 - 1.5, markY + MARK / 2 - 1.5, 3, 3);
    return;
  }
  stamp(pen, scene.sprites, code, { x: markX, y: markY });
  const extra = note(matrix.bits[cell] ?? 0);
  if (extra !== '' && !frame.wide) {
    pen.fillStyle = palette.look.blocked;
    pen.beginPath();
    pen.arc(markX + MARK, markY, 3.2, 0, 7);
    pen.fill();
  }
  if (!frame.wide) return;
  const look = lookAt(matrix, cell);
  pen.fillStyle = look === 'active' ? palette.ink2 : palette.ink;
  pen.font = `500 11.5px ${FONT}`;
  pen.fillText(
    look === undefined ? '' : extra === '' ? LOOK_LABEL[look] : `${LOOK_LABEL[look]}, ${extra}`,
    markX + 20,
    y + frame.row / 2 + 0.5,
    frame.column - 36,
  );
};

const paintName = (pen: Pen, scene: MatrixScene, row: number, y: number): void => {
  const { frame, matrix, palette } = scene;
  const node = matrix.rows[row];
  if (node === undefined) return;
  const chosen = scene.selected.has(node.name);
  pen.fillStyle = chosen ? palette.selected : row === scene.row ? palette.hover : palette.surface;
  pen.fillRect(0, y, frame.names, frame.row - 1);
  pen.fillStyle = node.alive ? palette.look.active : palette.look.down;
  pen.beginPath();
  pen.arc(22, y + frame.row / 2, 3, 0, 7);
  pen.fill();
  pen.fillStyle = node.alive ? palette.ink : palette.ink3;
  pen.font = `500 12.5px ${FONT}`;
  pen.fillText(node.name, 34, y + frame.row / 2 + 0.5, frame.names - 44);
};

export const paintMatrix = (pen: Pen, scene: MatrixScene): void => {
  const { frame, matrix, palette } = scene;
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, scene.width, scene.height);
  pen.textBaseline = 'middle';
  const firstRow = Math.max(0, Math.floor(scene.top / frame.row));
  const lastRow = Math.min(
    matrix.rows.length,
    Math.ceil((scene.top + scene.height - frame.header) / frame.row),
  );
  const firstColumn = Math.max(0, Math.floor(scene.left / frame.column));
  const lastColumn = Math.min(
    matrix.columns.length,
    Math.ceil((scene.left + scene.width - frame.names) / frame.column),
  );
  const yOf = (row: number) => frame.header + row * frame.row - scene.top;
  const xOf = (column: number) => frame.names + column * frame.column - scene.left;
  if (scene.column !== undefined) {
    pen.fillStyle = palette.selected;
    pen.fillRect(
      xOf(scene.column),
      frame.header,
      frame.column,
      Math.min(scene.height, yOf(matrix.rows.length)) - frame.header,
    );
  }
  for (let row = firstRow; row < lastRow; row += 1) {
    const y = yOf(row);
    if (scene.selected.has(matrix.rows[row]?.name ?? '')) {
      pen.fillStyle = palette.selected;
      pen.fillRect(frame.names, y, scene.width, frame.row - 1);
    } else if (row === scene.row) {
      pen.fillStyle = palette.hover;
      pen.fillRect(frame.names, y, scene.width, frame.row - 1);
    }
    pen.fillStyle = palette.line;
    pen.fillRect(0, y + frame.row - 1, scene.width, 1);
    for (let column = firstColumn; column < lastColumn; column += 1)
      paintCell(pen, scene, row * matrix.columns.length + column, xOf(column), y);
  }
  for (let row = firstRow; row < lastRow; row += 1) paintName(pen, scene, row, yOf(row));
  pen.fillStyle = palette.line;
  pen.fillRect(frame.names - 1, frame.header, 1, yOf(matrix.rows.length) - frame.header);
  if (scene.cell !== undefined) {
    const row = Math.floor(scene.cell / matrix.columns.length);
    const column = scene.cell % matrix.columns.length;
    pen.strokeStyle = palette.accent;
    pen.lineWidth = 2;
    pen.beginPath();
    pen.roundRect(xOf(column) + 2, yOf(row) + 2, frame.column - 4, frame.row - 5, 5);
    pen.stroke();
  }
};
