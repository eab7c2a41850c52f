export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'fenced',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A run in one of these holds its node's lane. */
export const LIVE_RUN = [
  'running',
  'waiting',
  'cancelling',
] as const satisfies readonly RunStatus[];

export const LANES = ['host', 'service'] as const;
export type Lane = (typeof LANES)[number];

export const RUN_KINDS = ['run', 'refresh', 'teardown'] as const;
export type RunKind = (typeof RUN_KINDS)[number];
