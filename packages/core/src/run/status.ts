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

export const LANES = ['host', 'service'] as const;
export type Lane = (typeof LANES)[number];

export const RUN_KINDS = ['run', 'refresh', 'teardown'] as const;
export type RunKind = (typeof RUN_KINDS)[number];
