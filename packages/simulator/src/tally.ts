/** What a fleet has done so far: the numbers of the progress line and of the tests. */
export interface Tally {
  machines: number;
  /** Joined and not down. */
  up: number;
  joins: number;
  running: number;
  succeeded: number;
  failed: number;
  /** Told by the server that its word no longer counts (fenced, cancelled). */
  refused: number;
  cancelled: number;
  reboots: number;
  /** Calls that got no usable answer; each is tried again. */
  errors: number;
}

export const emptyTally = (machines: number): Tally => ({
  machines,
  up: 0,
  joins: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  refused: 0,
  cancelled: 0,
  reboots: 0,
  errors: 0,
});
