/** What the loops of one worker share. Nothing in it outlives the process: the database has the truth. */
import type { AnnealerMode } from '../annealer/annealer-mode.ts';
import type { Database, Db } from '../db/open.ts';
import type { Log } from '../event/log.ts';
import type { RunReport } from '../run/complete-runs.ts';
import { LEASE_SECONDS } from './lease.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Sampler } from './sample.ts';
import type { Tuner } from './tune.ts';
import type { Wake } from './wake.ts';

/** How many runs one claim takes and one report tells of: each statement's own cost is shared by so many. */
export const BATCH = 500;

export interface WorkerState {
  workerId: number;
  renewedAt: number;
  mode: AnnealerMode;
  draining: boolean;
  stopped: boolean;
  /** Something may have become claimable since the last claim. */
  mayBeMore: boolean;
  /** The last claim found more than it could take. */
  backlog: boolean;
  completed: number;
  reporting: readonly RunReport[];
  ticks: number;
  /** At which tick everything unsettled is to be looked at again. */
  putRightAt: number;
  claims: number;
  /** Which claim is under way; 0 = none. */
  claiming: number;
}

export interface WorkerContext {
  readonly name: string;
  readonly log: Log;
  readonly db: Db;
  /** Connections for claims and reports only. */
  readonly hot: Database;
  readonly tickMs: number;
  readonly recoverable: readonly string[];
  readonly live: LiveRuns;
  readonly tuner: Tuner;
  readonly sampler: Sampler;
  readonly concurrency: () => number;
  /** Outcomes that are still to be reported. */
  readonly finished: RunReport[];
  readonly state: WorkerState;
  readonly wakes: {
    readonly claim: Wake;
    readonly report: Wake;
    readonly tick: Wake;
    readonly renew: Wake;
  };
}

export const holdsLease = ({ state }: WorkerContext): boolean =>
  performance.now() - state.renewedAt < LEASE_SECONDS * 1000;

export const workMayBeThere = ({ state, wakes }: WorkerContext): void => {
  state.mayBeMore = true;
  wakes.claim.ring();
};
