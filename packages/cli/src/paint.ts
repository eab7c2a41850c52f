/** Colours, only for a person at a terminal: never into a pipe, never against NO_COLOR. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof CODES;

const wantsColour = (stream: { readonly isTTY?: boolean }): boolean => {
  if ((process.env['NO_COLOR'] ?? '') !== '') return false;
  if ((process.env['FORCE_COLOR'] ?? '') !== '') return true;
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
};

export type Paint = (colour: Colour, text: string) => string;

export const painter = (stream: { readonly isTTY?: boolean }): Paint =>
  wantsColour(stream)
    ? (colour, text) => `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m`
    : (_, text) => text;

const STATE_COLOURS: Readonly<Record<string, Colour>> = {
  active: 'green',
  succeeded: 'green',
  committed: 'green',
  error: 'red',
  failed: 'red',
  transition: 'blue',
  running: 'blue',
  waiting: 'cyan',
  todo: 'yellow',
  queued: 'yellow',
  blocked: 'magenta',
  proposed: 'dim',
  undefined: 'dim',
  superseded: 'dim',
};

export const paintState = (paint: Paint, state: string): string => {
  const colour = STATE_COLOURS[state];
  return colour === undefined ? state : paint(colour, state);
};
