/**
 * What a barclamp's hooks.ts exports as `hooks`. Hooks of noderoles are called for the barclamp's
 * own roles; the others for every node, deployment, network and allocation.
 */
import type { JsonObject, NoderoleState, Refusal } from '@hostwright/core';
import type { Evidence, Outcome, RunHandle } from '../jig.ts';
import type { NodeRecord } from '../node/find.ts';
import type { HOOKS, HookName } from './kinds.ts';

export interface NoderoleSubject {
  readonly noderoleId: number;
  readonly role: string;
  readonly node: { readonly id: number; readonly name: string };
  readonly deployment: { readonly id: number; readonly name: string };
  readonly from: NoderoleState | null;
  /** Null: it was removed. */
  readonly to: NoderoleState | null;
  readonly reason: string;
  readonly runId: number | null;
}

export interface NodeSubject {
  readonly id: number;
  readonly name: string;
  /** What changed, for onNodeChange. */
  readonly changes: JsonObject;
}

export interface DeploymentSubject {
  readonly id: number;
  readonly name: string;
}

/** As the event says it: docs/reference/events.md. */
export interface PlainSubject {
  readonly nodeId: number | null;
  readonly payload: JsonObject;
}

interface Subjects {
  readonly noderole: NoderoleSubject;
  readonly node: NodeSubject;
  readonly deployment: DeploymentSubject;
  readonly network: PlainSubject;
  readonly allocation: PlainSubject;
}

export type SubjectOf<Name extends HookName> = Subjects[(typeof HOOKS)[Name]['subject']];

export interface HookContext {
  /** The same for each attempt to deliver one event: remember it to do a thing once. */
  readonly deliveryId: string;
  readonly attempt: number;
  /** Aborted when the hook's time is over. */
  readonly signal: AbortSignal;
  log(text: string): void;
  findNode(nameOrId: string | number): Promise<NodeRecord | undefined>;
  /** Ask for a refresh run of a role wherever it is active, or on the nodes given. */
  refreshRole(options: {
    readonly role: string;
    readonly nodeIds?: readonly number[];
    readonly cause: string;
  }): Promise<number>;
  setNodeBootenv(options: { readonly nodeId: number; readonly bootenv: string }): Promise<void>;
  /** Writes an event of kind hook.event. */
  emit(options: { readonly nodeId?: number; readonly payload: JsonObject }): Promise<void>;
}

export interface CommitSubject {
  readonly deployment: { readonly id: number; readonly name: string };
  readonly snapshotId: number;
  readonly revision: number;
  /** Bindings of this barclamp's roles that the commit holds. */
  readonly bindings: readonly {
    readonly role: string;
    readonly node: string;
    readonly nodeId: number;
  }[];
}

export interface BindSubject {
  readonly deployment: { readonly id: number; readonly name: string };
  readonly role: string;
  readonly node: NodeRecord;
}

export interface VetoContext {
  readonly signal: AbortSignal;
  findNode(nameOrId: string | number): Promise<NodeRecord | undefined>;
}

/** Nothing or an empty list: no objection. A text is a reason; give all of them at once. */
export type Veto = void | readonly (string | Refusal)[];

type EventHooks = {
  readonly [Name in HookName]?: (
    context: HookContext,
    subject: SubjectOf<Name>,
  ) => void | Promise<void>;
};

export interface BarclampHooks extends EventHooks {
  readonly onCommit?: (context: VetoContext, subject: CommitSubject) => Veto | Promise<Veto>;
  readonly onNodeBind?: (context: VetoContext, subject: BindSubject) => Veto | Promise<Veto>;
  /** How the role-provided jig carries out this barclamp's roles, by role. */
  readonly transitions?: Readonly<
    Record<string, (handle: RunHandle, evidence?: Evidence) => Promise<Outcome>>
  >;
}
