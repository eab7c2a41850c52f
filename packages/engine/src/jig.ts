/**
 * What carries a role out. A jig decides nothing: the annealer says what may run, the jig runs it
 * and says how it ended. Nothing here may rely on the process that started a run still being alive:
 * what a jig needs to pick a run up again goes into `memo`.
 */
import type { JsonObject, Lane, RunKind } from '@hostwright/core';

export interface RunNode {
  readonly id: number;
  readonly name: string;
  readonly admin: boolean;
  readonly bootId: string | null;
  readonly bootEpoch: number;
}

/** The handle of one run. The noderole holds the same run id while the run lasts. */
export interface RunHandle {
  readonly runId: number;
  readonly token: number;
  readonly kind: RunKind;
  readonly lane: Lane;
  readonly attempt: number;
  readonly noderoleId: number;
  readonly node: RunNode;
  readonly role: {
    readonly id: number;
    readonly name: string;
    readonly barclamp: string;
    readonly config: JsonObject;
  };
  readonly deployment: { readonly id: number; readonly name: string };
  /** Frozen at the start of the run; secrets already put in their places, only in memory. */
  readonly attribs: JsonObject;
  /** The values of those secrets, for a jig whose logs do not all go through `log`, which masks them. */
  readonly secrets: readonly string[];
  readonly deadline: Date;
  /** Aborted on cancel, on deadline, and when this worker has lost the run. */
  readonly signal: AbortSignal;
  /** What an earlier part of this run left with `wait` or `remember`. */
  readonly memo: JsonObject | null;
  log(text: string, stream?: 'out' | 'err' | 'jig'): void;
  /** Stores the memo at once, so that a worker that takes the run over can find the work again. */
  remember(memo: JsonObject): Promise<void>;
  /** The run will take the node down and up: a new boot id is then no reason to fail it. */
  expectReboot(): Promise<void>;
}

export type Outcome =
  | { readonly kind: 'succeeded'; readonly wall?: JsonObject }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly retryable: boolean;
      readonly blame: 'node' | 'content' | 'us' | 'operator';
      readonly wall?: JsonObject;
    }
  | { readonly kind: 'cancelled' }
  /** Gives the worker back until the evidence is there or the deadline has passed. */
  | {
      readonly kind: 'waiting';
      readonly evidence: string;
      readonly deadline?: Date;
      readonly memo?: JsonObject;
    };

export interface Evidence {
  readonly key: string;
  readonly payload: JsonObject;
}

export interface Jig {
  readonly name: string;
  readonly description: string;
  run(handle: RunHandle): Promise<Outcome>;
  /** The evidence a run waited for has come. Required of jigs that return `waiting`. */
  resume?(handle: RunHandle, evidence: Evidence): Promise<Outcome>;
  /** The worker that ran it died. Default: run it again. */
  recover?(handle: RunHandle): Promise<Outcome>;
  /** A waiting run is to stop: what it left on the machine must be ended. Running ones see `signal`. */
  cancel?(handle: RunHandle): Promise<void>;
  nodeCreate?(node: RunNode): Promise<void>;
  nodeUpdate?(node: RunNode): Promise<void>;
  nodeDelete?(node: RunNode): Promise<void>;
}
