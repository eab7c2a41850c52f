import type { JsonObject, Lane, RunKind } from '@hostwright/core';

/** A run that this worker holds, with all a jig needs to carry it out. */
export interface ClaimedRun {
  readonly runId: number;
  readonly token: number;
  readonly kind: RunKind;
  readonly lane: Lane;
  readonly attempt: number;
  readonly noderoleId: number;
  readonly jig: string;
  readonly node: {
    readonly id: number;
    readonly name: string;
    readonly admin: boolean;
    readonly bootId: string | null;
    readonly bootEpoch: number;
  };
  readonly role: { readonly id: number; readonly name: string; readonly revision: number };
  readonly deployment: { readonly id: number; readonly name: string };
  readonly attribs: JsonObject;
  readonly deadline: Date;
  readonly memo: JsonObject | null;
  /** How it comes to this worker: claimed afresh, resumed with evidence, taken over, or to be cancelled. */
  readonly entry:
    | { readonly kind: 'run' }
    | {
        readonly kind: 'resume';
        readonly evidenceId: number;
        readonly key: string;
        readonly payload: JsonObject;
      }
    | { readonly kind: 'recover' }
    | { readonly kind: 'cancel'; readonly why: string | null };
}
