/** Nodes x roles as typed arrays; events change single cells. Pure. */
import type { NoderoleState } from '@hostwright/core/noderole/state';
import type { Answer } from '@hostwright/api';
import type { deployment_matrix } from '@hostwright/api/nouns/deployment-matrix';
import { LOOK_CODES } from '../fleet/columns.ts';
import type { Look } from '../ui/state.tsx';

export type MatrixAnswer = Answer<typeof deployment_matrix>;

export const MATRIX_BITS = { degraded: 1, drifted: 2, held: 4, removing: 8, live: 16 } as const;
/** No noderole there. */
export const NONE = 255;

export interface Matrix {
  readonly rows: MatrixAnswer['nodes'];
  readonly columns: MatrixAnswer['roles'];
  /** rows x columns: index into LOOK_CODES, or NONE. */
  readonly look: Uint8Array;
  readonly bits: Uint8Array;
  readonly id: Int32Array;
  readonly cellOf: ReadonlyMap<number, number>;
}

const CODE = new Map<string, number>(LOOK_CODES.map((look, code) => [look, code]));
const codeOf = (state: string | undefined): number => CODE.get(state ?? '') ?? NONE;

export const buildMatrix = (answer: MatrixAnswer, search: string): Matrix => {
  const wanted = search.trim().toLowerCase();
  const kept = answer.nodes
    .map((node, at) => ({ node, at }))
    .filter(({ node }) => node.name.includes(wanted));
  const place = new Map(kept.map(({ at }, row) => [at, row]));
  const width = answer.roles.length;
  const look = new Uint8Array(kept.length * width).fill(NONE);
  const bits = new Uint8Array(kept.length * width);
  const id = new Int32Array(kept.length * width);
  const cellOf = new Map<number, number>();
  answer.ids.forEach((noderole, at) => {
    const row = place.get(answer.node[at] ?? -1);
    if (row === undefined) return;
    const cell = row * width + (answer.role[at] ?? 0);
    look[cell] = codeOf(answer.states[answer.state[at] ?? 0]);
    bits[cell] = answer.bits[at] ?? 0;
    id[cell] = noderole;
    if (noderole !== 0) cellOf.set(noderole, cell);
  });
  return { rows: kept.map(({ node }) => node), columns: answer.roles, look, bits, id, cellOf };
};

/** The cell that changed, or undefined if this matrix does not hold the noderole. */
export const setCell = (
  matrix: Matrix,
  noderole: number,
  state: NoderoleState,
): number | undefined => {
  const cell = matrix.cellOf.get(noderole);
  if (cell !== undefined) matrix.look[cell] = codeOf(state);
  return cell;
};

export const lookAt = (matrix: Matrix, cell: number): Look | undefined =>
  LOOK_CODES[matrix.look[cell] ?? NONE];

export interface Frame {
  readonly names: number;
  readonly header: number;
  readonly row: number;
  readonly column: number;
  /** Columns wide enough for a word beside the mark. */
  readonly wide: boolean;
}

export const frameFor = (columns: number, width: number): Frame => {
  const names = width < 700 ? 130 : 196;
  const column = Math.max(
    34,
    Math.min(176, Math.floor((width - names - 24) / Math.max(1, columns))),
  );
  const wide = column >= 104;
  return { names, header: wide ? 58 : 148, row: 30, column, wide };
};
