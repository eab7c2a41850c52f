/** Everything a frame of the grid needs, kept outside React. */
import { useState } from 'react';
import type { FleetStore } from '../live/fleet-store.ts';
import type { Arrangement } from './arrange.ts';
import { DENSITIES, type Density, type Layout } from './layout.ts';
import type { Scene } from './paint.ts';
import { readPalette, type Palette } from './palette.ts';
import { drawSprites, type Sprites } from './sprite.ts';

export interface Stage {
  palette: Palette;
  sprites: Sprites;
  width: number;
  height: number;
  scroll: number;
  /** Where the view was when it was last drawn; undefined = nothing of it can be used again. */
  drawnAt: number | undefined;
  hovered: number | undefined;
  focused: number | undefined;
  frame: number;
  all: boolean;
  headers: boolean;
  readonly dirty: Set<number>;
}

export const spritesFor = (palette: Palette, density: Density): Sprites =>
  drawSprites(palette, density === 'names' ? 12 : DENSITIES[density].width, devicePixelRatio);

export const useStage = (): Stage => {
  const [stage] = useState((): Stage => {
    const palette = readPalette();
    return {
      palette,
      sprites: spritesFor(palette, 'cells'),
      width: 0,
      height: 0,
      scroll: 0,
      drawnAt: undefined,
      hovered: undefined,
      focused: undefined,
      frame: 0,
      all: true,
      headers: false,
      dirty: new Set(),
    };
  });
  return stage;
};

export const sceneOf = (
  stage: Stage,
  store: FleetStore,
  layout: Layout,
  props: { readonly arrangement: Arrangement; readonly groupTitle: (label: string) => string },
): Scene => ({
  fleet: store.columns,
  arrangement: props.arrangement,
  layout,
  palette: stage.palette,
  sprites: stage.sprites,
  width: stage.width,
  height: stage.height,
  scroll: stage.scroll,
  hovered: stage.hovered,
  focused: stage.focused,
  groupTitle: props.groupTitle,
});
