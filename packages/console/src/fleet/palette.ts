/** The tokens' colours as the canvas needs them, read again when the theme changes. */
import { LOOK_CODES } from './columns.ts';
import type { Look } from '../ui/state.tsx';

export interface Palette {
  readonly look: Readonly<Record<Look, string>>;
  readonly soft: Readonly<Record<Look, string>>;
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly surface: string;
  readonly ground: string;
  readonly hover: string;
  readonly line: string;
  readonly accent: string;
  readonly selected: string;
}

export const readPalette = (): Palette => {
  // a custom property with light-dark() resolves only in a real property
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const each = (suffix: string) =>
    Object.fromEntries(LOOK_CODES.map((look) => [look, colour(`${look}${suffix}`)])) as Record<
      Look,
      string
    >;
  const palette = {
    // most cells are active: a quieter tone lets the others stand out
    look: { ...each(''), active: colour('cell-active') },
    soft: each('-soft'),
    ink: colour('ink'),
    ink2: colour('ink-2'),
    ink3: colour('ink-3'),
    surface: colour('surface'),
    ground: colour('ground'),
    hover: colour('hover'),
    line: colour('line'),
    accent: colour('accent'),
    selected: colour('selected'),
  };
  probe.remove();
  return palette;
};

/** Calls back with a fresh palette whenever the theme or the system's preference changes. */
export const watchPalette = (changed: (palette: Palette) => void): (() => void) => {
  const read = () => changed(readPalette());
  const observer = new MutationObserver(read);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const query = matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', read);
  return () => {
    observer.disconnect();
    query.removeEventListener('change', read);
  };
};
