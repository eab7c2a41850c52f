export const NODEROLE_STATES = [
  'proposed',
  'blocked',
  'todo',
  'transition',
  'active',
  'error',
] as const;
export type NoderoleState = (typeof NODEROLE_STATES)[number];

/** States in which nothing more happens by itself. */
export const AT_REST = ['proposed', 'active', 'error'] as const satisfies readonly NoderoleState[];
