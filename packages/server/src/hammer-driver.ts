/** What a provider gives the server so that people can act on a node: only what it says is offered. */
import type { JsonObject } from '@hostwright/core';
import type { HammerRecord, NodeRecord } from '@hostwright/engine';
import type { Context } from './context.ts';

export interface HammerAction {
  /** `power-off`, `boot-pxe`, `identify`: one lower-case word or several with dashes. */
  readonly action: string;
  readonly description: string;
  /** The machine stops working for a while, or for good. */
  readonly disruptive: boolean;
}

export interface HammerTarget {
  readonly node: NodeRecord;
  /** Null: the driver needs no hammer row (the agent). */
  readonly hammer: HammerRecord | null;
}

export interface HammerDriver {
  readonly kind: string;
  /** What this target can do now; empty if nothing. */
  actions(target: HammerTarget): Promise<readonly HammerAction[]>;
  act(
    options: HammerTarget & {
      readonly action: string;
      readonly actor: string;
      readonly context: Context;
    },
  ): Promise<JsonObject>;
  /** Offered on every node, without a hammer row. */
  readonly everywhere?: boolean;
}
