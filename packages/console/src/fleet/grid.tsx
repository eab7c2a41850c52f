/**
 * Every node as a cell on one canvas. The canvas is as large as the view and is drawn again on
 * scrolling; a change of state draws single cells. React renders only when what is shown is
 * arranged anew: 1,000 events a second never reach it.
 */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useFleet } from '../live/fleet-store.ts';
import { LOOK_LABEL } from '../ui/state.tsx';
import type { Arrangement } from './arrange.ts';
import { LOOK_CODES } from './columns.ts';
import { markOnce } from './mark-once.ts';
import { layOut, placeAt, spotOf, type Density } from './layout.ts';
import { movePlace, type Move } from './move-place.ts';
import { paintHeaders, paintPlaces, paintScene, paintScrolled } from './paint.ts';
import { watchPalette } from './palette.ts';
import { sceneOf, spritesFor, useStage } from './stage.ts';

const MOVES: Readonly<Record<string, Move>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'home',
  End: 'end',
  PageUp: 'pageup',
  PageDown: 'pagedown',
};

export interface Pointed {
  readonly node: number;
  readonly x: number;
  readonly y: number;
}

export interface GridProps {
  readonly arrangement: Arrangement;
  readonly density: Density;
  readonly groupTitle: (label: string) => string;
  readonly onPoint: (pointed: Pointed | undefined) => void;
  readonly onOpen: (node: number) => void;
}

export const FleetGrid = (props: GridProps) => {
  const { arrangement, density } = props;
  const store = useFleet();
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useStage();
  const [width, setWidth] = useState(0);
  const [spoken, setSpoken] = useState('');
  const layout = useMemo(() => layOut(arrangement, width, density), [arrangement, width, density]);
  const placeOf = useMemo(() => {
    const places = new Int32Array(store.columns.size).fill(-1);
    arrangement.order.forEach((node, place) => (places[node] = place));
    return places;
  }, [arrangement, store]);

  const paint = () => {
    stage.frame = 0;
    const pen = canvas.current?.getContext('2d', { alpha: false });
    if (pen === null || pen === undefined || stage.width === 0) return;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const scene = sceneOf(stage, store, layout, props);
    const moved = stage.drawnAt === undefined ? undefined : stage.scroll - stage.drawnAt;
    if (stage.all || moved === undefined || Math.abs(moved) > stage.height * 0.9)
      paintScene(pen, scene);
    else {
      if (moved !== 0) paintScrolled(pen, scene, moved);
      const places = [...stage.dirty].map((node) => placeOf[node] ?? -1);
      paintPlaces(
        pen,
        scene,
        places.filter((place) => place >= 0),
      );
      if (stage.headers) paintHeaders(pen, scene);
    }
    // rings overlap their neighbours: what they are drawn on cannot be moved
    const ringed = stage.hovered !== undefined || stage.focused !== undefined;
    stage.drawnAt = ringed ? undefined : stage.scroll;
    stage.all = false;
    stage.headers = false;
    stage.dirty.clear();
    markOnce('hostwright:fleet');
  };
  const painter = useRef(paint);
  painter.current = paint;
  const schedule = (all: boolean) => {
    stage.all ||= all;
    if (stage.frame === 0) stage.frame = requestAnimationFrame(() => painter.current());
  };
  const scheduler = useRef(schedule);
  scheduler.current = schedule;

  useEffect(() => {
    const box = scroller.current;
    const view = canvas.current;
    if (box === null || view === null) return undefined;
    const observer = new ResizeObserver(() => {
      stage.width = box.clientWidth;
      stage.height = box.clientHeight;
      view.width = Math.round(stage.width * devicePixelRatio);
      view.height = Math.round(stage.height * devicePixelRatio);
      view.style.width = `${stage.width}px`;
      view.style.height = `${stage.height}px`;
      setWidth(stage.width);
      stage.all = true;
      painter.current();
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(stage.frame);
      stage.frame = 0;
    };
  }, [stage]);

  useEffect(() => {
    stage.sprites = spritesFor(stage.palette, density);
    scheduler.current(true);
    return watchPalette((palette) => {
      stage.palette = palette;
      stage.sprites = spritesFor(palette, density);
      scheduler.current(true);
    });
  }, [stage, density]);

  useEffect(() => {
    stage.hovered = undefined;
    if (stage.focused !== undefined && stage.focused >= arrangement.order.length)
      stage.focused = undefined;
    scheduler.current(true);
  }, [stage, layout, arrangement]);

  useEffect(
    () =>
      store.subscribe(() => {
        stage.headers = true;
        scheduler.current(false);
      }),
    [store, stage],
  );
  useEffect(
    () =>
      store.onCells((nodes) => {
        for (const node of nodes) stage.dirty.add(node);
        // ringed cells and headers overlap: cheaper to draw all than to reason about it
        scheduler.current(
          stage.hovered !== undefined || stage.focused !== undefined || nodes.length > 400,
        );
      }),
    [store, stage],
  );

  const pointAt = (place: number | undefined) => {
    if (place === undefined) return props.onPoint(undefined);
    const spot = spotOf(layout, place);
    const box = scroller.current?.getBoundingClientRect();
    const node = arrangement.order[place];
    if (spot === undefined || box === undefined || node === undefined) return undefined;
    return props.onPoint({
      node,
      x: box.left + spot.x + layout.cell.width,
      y: box.top + spot.y - stage.scroll + layout.cell.height,
    });
  };

  const focusPlace = (place: number) => {
    stage.focused = place;
    const spot = spotOf(layout, place);
    const box = scroller.current;
    const node = arrangement.order[place];
    if (spot === undefined || box === null || node === undefined) return;
    if (spot.y < box.scrollTop + 40) box.scrollTop = Math.max(0, spot.y - 60);
    else if (spot.y + 60 > box.scrollTop + stage.height) box.scrollTop = spot.y + 60 - stage.height;
    stage.scroll = box.scrollTop;
    pointAt(place);
    setSpoken(
      `${store.columns.name[node] ?? ''}, ${LOOK_LABEL[LOOK_CODES[store.columns.look[node] ?? 0] ?? 'down']}`,
    );
    schedule(true);
  };

  const onKey = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (move !== undefined) {
      event.preventDefault();
      focusPlace(stage.focused === undefined ? 0 : movePlace(layout, stage.focused, move));
    } else if (event.key === 'Enter' && stage.focused !== undefined) {
      const node = arrangement.order[stage.focused];
      if (node !== undefined) props.onOpen(node);
    } else if (event.key === 'Escape') {
      stage.focused = undefined;
      props.onPoint(undefined);
      schedule(true);
    }
  };

  return (
    <div
      ref={scroller}
      className="fleet-scroll scroll"
      tabIndex={0}
      role="application"
      aria-roledescription="grid of nodes"
      aria-label={`${arrangement.order.length} nodes. Arrow keys move, Enter opens. The same is there as a table.`}
      onKeyDown={onKey}
      onBlur={() => {
        stage.focused = undefined;
        props.onPoint(undefined);
        schedule(true);
      }}
      onScroll={(event) => {
        // whole device pixels, so that what is drawn can be moved
        const { scrollTop } = event.currentTarget;
        stage.scroll = Math.round(scrollTop * devicePixelRatio) / devicePixelRatio;
        const ringed = stage.hovered !== undefined || stage.focused !== undefined;
        if (stage.hovered !== undefined) {
          stage.hovered = undefined;
          props.onPoint(undefined);
        }
        schedule(ringed);
      }}
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const place = placeAt(
          layout,
          event.clientX - box.left,
          event.clientY - box.top + stage.scroll,
        );
        if (place === stage.hovered) return;
        stage.hovered = place;
        pointAt(place);
        schedule(true);
      }}
      onPointerLeave={() => {
        stage.hovered = undefined;
        props.onPoint(undefined);
        schedule(true);
      }}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const place = placeAt(
          layout,
          event.clientX - box.left,
          event.clientY - box.top + stage.scroll,
        );
        const node = place === undefined ? undefined : arrangement.order[place];
        if (node !== undefined) props.onOpen(node);
      }}
    >
      <canvas ref={canvas} className="fleet-canvas" />
      <div style={{ height: Math.max(0, layout.height - stage.height) }} />
      <span className="sr-only" aria-live="polite">
        {spoken}
      </span>
    </div>
  );
};
