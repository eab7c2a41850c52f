/** What is known of a noderole and its surroundings when somebody asks why it waits. */
import type { NoderoleState } from '../noderole/state.ts';
import type { RunStatus } from '../run/status.ts';

export interface WhyNode {
  readonly id: number;
  readonly name: string;
  readonly alive: boolean;
  readonly aliveReason: string;
  /** Held dead on purpose, for instance by an install: the reason. */
  readonly aliveHold: string | null;
  readonly available: boolean;
  readonly everSeen: boolean;
  /** Kinds of its hammers. */
  readonly hammers: readonly string[];
  /** Its last boot was into rescue, where no agent runs: for how long, and what it said of itself. */
  readonly rescue?: { readonly seconds: number; readonly told: string | null } | null;
}

/** How far a run has come that goes through phases on a machine nobody can look into. */
export interface WhyPhase {
  readonly name: string;
  readonly waitsFor: string;
  readonly seconds: number;
  /** Seconds until the phase must have ended; negative when it has passed. */
  readonly deadlineSeconds: number;
  /** The last thing seen of the machine, in the flight recorder. */
  readonly lastText: string | null;
  readonly lastSeconds: number | null;
}

export interface WhyRun {
  readonly id: number;
  readonly role: string;
  readonly status: RunStatus;
  readonly seconds: number;
  readonly waitingFor: string | null;
  /** Seconds until its deadline; negative when it has passed. */
  readonly deadlineSeconds: number | null;
  readonly worker: string | null;
  readonly workerAlive: boolean;
  readonly error: string | null;
  readonly lastLines: readonly string[];
  readonly phase?: WhyPhase | null;
}

export interface WhyRollout {
  readonly revision: number;
  readonly haltedReason: string | null;
  readonly canary: number | null;
  readonly canaryPassed: boolean;
  readonly rollingLimit: number | null;
}

export interface WhyAnnealer {
  readonly mode: 'auto' | 'manual' | 'drain';
  readonly workers: number;
  readonly draining: number;
}

export interface WhyNoderole {
  readonly id: number;
  readonly role: string;
  readonly node: WhyNode;
  readonly deployment: { readonly id: number; readonly name: string };
  readonly state: NoderoleState;
  readonly reason: string;
  readonly cause: string;
  readonly holds: readonly string[];
  /** Seconds until a backoff is over. */
  readonly backoffSeconds: number | null;
  readonly removing: boolean;
  readonly drifted: boolean;
  readonly driftReason: string | null;
  readonly destructive: boolean;
  readonly jig: { readonly name: string; readonly active: boolean };
  /** The deployment at or above that is paused. */
  readonly pausedBy: string | null;
  readonly rollout: WhyRollout | null;
  /** The run that is its own: live, or else the last. */
  readonly run: WhyRun | null;
  /** A refresh that is to come while it stays active. */
  readonly refreshQueued: boolean;
  /** The run of another noderole in the same lane. */
  readonly laneRun: WhyRun | null;
  /** Noderoles of this node and lane that come first. */
  readonly aheadInLane: number;
  /** Lanes of other nodes that come first. */
  readonly aheadInQueue: number;
  readonly softParent: {
    readonly role: string;
    readonly node: string;
    readonly state: NoderoleState;
  } | null;
  readonly annealer: WhyAnnealer;
  /** blocked: the ancestor at the root of it; active but degraded: the ancestor that is not active. */
  readonly root: WhyNoderole | null;
}

export interface Cause {
  readonly kind: CauseKind;
  readonly nodeId?: number;
  readonly noderoleId?: number;
  readonly runId?: number;
  readonly deploymentId?: number;
}

export const CAUSE_KINDS = [
  'none',
  'undefined',
  'proposed',
  'blocked',
  'halted',
  'consent',
  'paused',
  'jig_off',
  'never_seen',
  'held_dead',
  'not_alive',
  'not_available',
  'canary',
  'rolling',
  'backoff',
  'order',
  'removing',
  'annealer_drain',
  'annealer_manual',
  'no_worker',
  'lane_busy',
  'queue',
  'running',
  'worker_lost',
  'waiting',
  'cancelling',
  'error',
  'drifted',
  'degraded',
  'refresh',
] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

export interface Why {
  /** One sentence, the subject first. */
  readonly sentence: string;
  readonly cause: Cause;
  /** What would clear it, or show it at work; null where nothing is to be done. */
  readonly command: string | null;
}
