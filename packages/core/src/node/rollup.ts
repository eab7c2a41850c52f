/** A node's noderoles in one word: the worst or busiest of their states; `undefined` = no role but discovery. */
export const NODE_ROLLUPS = [
  'undefined',
  'error',
  'transition',
  'todo',
  'blocked',
  'proposed',
  'active',
] as const;
export type NodeRollup = (typeof NODE_ROLLUPS)[number];
