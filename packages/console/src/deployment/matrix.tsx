/**
 * Nodes x roles on one canvas under a row of real buttons, the roles. 1,000 x 30 cells scroll like
 * one: only what is in view is drawn. Arrow keys move, Enter opens, Space selects a node, B binds.
 */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { markOnce } from '../fleet/mark-once.ts';
import { readPalette, watchPalette, type Palette } from '../fleet/palette.ts';
import { drawSprites } from '../fleet/sprite.ts';
import { LOOK_LABEL } from '../ui/state.tsx';
import { plural } from '../ui/words.ts';
import { useDrag } from './drag.tsx';
import { RoleHeader } from './matrix-header.tsx';
import { frameFor, lookAt, type Frame, type Matrix } from './matrix-model.ts';
import { paintMatrix } from './matrix-paint.ts';

export interface MatrixProps {
  readonly matrix: Matrix;
  readonly onCells: (listener: () => void) => () => void;
  readonly mayEdit: boolean;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (nodes: ReadonlySet<string>) => void;
  readonly onOpenCell: (at: {
    readonly noderole: number;
    readonly node: string;
    readonly role: string;
  }) => void;
  readonly onOpenNode: (node: string) => void;
  readonly onBind: () => void;
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  PageUp: [-15, 0],
  PageDown: [15, 0],
};

interface Look {
  palette: Palette;
  width: number;
  height: number;
  row: number | undefined;
  cell: number | undefined;
  frame: number;
}

interface Place {
  readonly row: number | undefined;
  readonly column: number | undefined;
}

const placeOf = (
  frame: Frame,
  matrix: Matrix,
  box: HTMLElement,
  event: { clientX: number; clientY: number },
): Place => {
  const rect = box.getBoundingClientRect();
  const x = event.clientX - rect.left;
  const y = event.clientY - rect.top;
  const row = y < frame.header ? -1 : Math.floor((y - frame.header + box.scrollTop) / frame.row);
  const column =
    x < frame.names ? -1 : Math.floor((x - frame.names + box.scrollLeft) / frame.column);
  return {
    row: row >= 0 && row < matrix.rows.length ? row : undefined,
    column: column >= 0 && column < matrix.columns.length ? column : undefined,
  };
};

export const MatrixView = (props: MatrixProps) => {
  const { matrix, selected } = props;
  const drag = useDrag();
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(900);
  const [spoken, setSpoken] = useState('');
  const [look] = useState<Look>(() => ({
    palette: readPalette(),
    width: 0,
    height: 0,
    row: undefined,
    cell: undefined,
    frame: 0,
  }));
  const frame = useMemo(
    () => frameFor(matrix.columns.length, width),
    [matrix.columns.length, width],
  );
  const sprites = useRef(drawSprites(look.palette, 14, devicePixelRatio));
  const over = drag.dragging?.over;
  const overColumn =
    over === undefined ? undefined : matrix.columns.findIndex((role) => role.name === over);

  const paint = () => {
    look.frame = 0;
    const box = scroller.current;
    const pen = canvas.current?.getContext('2d', { alpha: false });
    if (box === null || pen === null || pen === undefined) return;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paintMatrix(pen, {
      matrix,
      frame,
      palette: look.palette,
      sprites: sprites.current,
      width: look.width,
      height: look.height,
      left: box.scrollLeft,
      top: box.scrollTop,
      selected,
      column: overColumn === -1 ? undefined : overColumn,
      row: look.row,
      cell: look.cell,
    });
    markOnce('hostwright:matrix');
  };
  const painter = useRef(paint);
  painter.current = paint;
  const schedule = () => {
    if (look.frame === 0) look.frame = requestAnimationFrame(() => painter.current());
  };

  useEffect(() => {
    const box = scroller.current;
    const view = canvas.current;
    if (box === null || view === null) return undefined;
    const observer = new ResizeObserver(() => {
      look.width = box.clientWidth;
      look.height = box.clientHeight;
      view.width = Math.round(look.width * devicePixelRatio);
      view.height = Math.round(look.height * devicePixelRatio);
      view.style.width = `${look.width}px`;
      view.style.height = `${look.height}px`;
      setWidth(look.width);
      painter.current();
    });
    observer.observe(box);
    const stop = watchPalette((palette) => {
      look.palette = palette;
      sprites.current = drawSprites(palette, 14, devicePixelRatio);
      painter.current();
    });
    return () => {
      observer.disconnect();
      stop();
      cancelAnimationFrame(look.frame);
      look.frame = 0;
    };
  }, [look]);
  useEffect(schedule);
  useEffect(() => props.onCells(schedule), [props.onCells]);

  const toggle = (node: string, keep: boolean) => {
    const next = new Set(keep ? selected : []);
    if (selected.has(node)) next.delete(node);
    else next.add(node);
    props.onSelect(next);
  };
  const focusCell = (cell: number) => {
    look.cell = cell;
    const row = Math.floor(cell / matrix.columns.length);
    const column = cell % matrix.columns.length;
    const box = scroller.current;
    if (box !== null) {
      const y = row * frame.row;
      const x = column * frame.column;
      if (y < box.scrollTop) box.scrollTop = y;
      if (y + frame.row > box.scrollTop + look.height - frame.header)
        box.scrollTop = y + frame.row - look.height + frame.header;
      if (x < box.scrollLeft) box.scrollLeft = x;
      if (x + frame.column > box.scrollLeft + look.width - frame.names)
        box.scrollLeft = x + frame.column - look.width + frame.names;
    }
    const state = lookAt(matrix, cell);
    setSpoken(
      `${matrix.rows[row]?.name ?? ''}, ${matrix.columns[column]?.name ?? ''}, ${state === undefined ? 'not bound' : LOOK_LABEL[state]}`,
    );
    schedule();
  };
  const openCell = (cell: number) => {
    const row = matrix.rows[Math.floor(cell / matrix.columns.length)];
    const column = matrix.columns[cell % matrix.columns.length];
    if (row !== undefined && column !== undefined && lookAt(matrix, cell) !== undefined)
      props.onOpenCell({ noderole: matrix.id[cell] ?? 0, node: row.name, role: column.name });
  };
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const cell = look.cell ?? 0;
    const columns = matrix.columns.length;
    const row = Math.floor(cell / columns);
    if (step !== undefined && columns > 0) {
      event.preventDefault();
      if (look.cell === undefined) return focusCell(0);
      const nextRow = Math.max(0, Math.min(matrix.rows.length - 1, row + step[0]));
      const nextColumn = Math.max(0, Math.min(columns - 1, (cell % columns) + step[1]));
      return focusCell(nextRow * columns + nextColumn);
    }
    if (event.key === 'Enter' && look.cell !== undefined) openCell(look.cell);
    else if (event.key === ' ' && look.cell !== undefined) {
      event.preventDefault();
      toggle(matrix.rows[row]?.name ?? '', true);
    } else if (event.key === 'b' && props.mayEdit) props.onBind();
    return undefined;
  };
  const onDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    const place = placeOf(frame, matrix, event.currentTarget, event);
    const node = place.row === undefined ? undefined : matrix.rows[place.row]?.name;
    if (node === undefined || place.column !== undefined || !props.mayEdit) return;
    drag.begin(event, selected.has(node) ? [...selected] : [node]);
  };
  const height = frame.header + matrix.rows.length * frame.row + 12;
  const contentWidth = frame.names + matrix.columns.length * frame.column;
  return (
    <div
      ref={scroller}
      className="matrix scroll"
      tabIndex={0}
      role="application"
      aria-roledescription="matrix of nodes and roles"
      aria-label={`${matrix.rows.length} nodes by ${matrix.columns.length} roles. Arrow keys move, Enter opens, Space selects a node${props.mayEdit ? ', B binds the selected nodes to a role' : ''}.`}
      onScroll={schedule}
      onKeyDown={onKey}
      onPointerDown={onDown}
      onPointerMove={(event) => {
        const { row } = placeOf(frame, matrix, event.currentTarget, event);
        if (row === look.row) return;
        look.row = row;
        schedule();
      }}
      onPointerLeave={() => {
        look.row = undefined;
        schedule();
      }}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest('button, a') !== null) return;
        const { row, column } = placeOf(frame, matrix, event.currentTarget, event);
        if (row === undefined) return;
        if (column === undefined)
          toggle(matrix.rows[row]?.name ?? '', event.ctrlKey || event.metaKey || event.shiftKey);
        else openCell(row * matrix.columns.length + column);
      }}
      onDoubleClick={(event) => {
        const { row, column } = placeOf(frame, matrix, event.currentTarget, event);
        if (row !== undefined && column === undefined)
          props.onOpenNode(matrix.rows[row]?.name ?? '');
      }}
    >
      <div className="matrix-under">
        <canvas ref={canvas} />
      </div>
      <div className="matrix-head" style={{ height: frame.header, width: contentWidth }}>
        <span className="matrix-corner" style={{ width: frame.names }}>
          {plural(matrix.rows.length, 'node')}
        </span>
        {matrix.columns.map((role) => (
          <RoleHeader
            key={role.id}
            role={role}
            frame={frame}
            verdict={drag.dragging === undefined ? undefined : drag.verdictOf(role.name)}
            dragging={drag.dragging !== undefined}
            over={over === role.name}
            height={height}
          />
        ))}
      </div>
      <div
        style={{
          height: Math.max(0, height - frame.header),
          width: contentWidth,
          pointerEvents: 'none',
        }}
      />
      <span className="sr-only" aria-live="polite">
        {spoken}
      </span>
    </div>
  );
};
