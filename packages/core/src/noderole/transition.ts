/**
 * Which state may follow which, and on what. The only source: the table noderole_transition in the
 * database, the diagram in docs/reference/states.md and the console's buttons are tested against it.
 */
import type { NoderoleState } from './state.ts';

export const TRANSITIONS = {
  proposed: { commit: 'todo', commit_blocked: 'blocked' },
  blocked: { unblock: 'todo', recall: 'proposed' },
  todo: { claim: 'transition', block: 'blocked', recall: 'proposed', refuse: 'error' },
  transition: { succeed: 'active', fail: 'error', requeue: 'todo', requeue_blocked: 'blocked' },
  active: { rerun: 'todo', rerun_blocked: 'blocked', refresh_failed: 'error' },
  error: { retry: 'todo', block: 'blocked' },
} as const satisfies Record<NoderoleState, Readonly<Record<string, NoderoleState>>>;

type EventOf<From extends NoderoleState> = keyof (typeof TRANSITIONS)[From];
export type NoderoleEvent = { [From in NoderoleState]: EventOf<From> }[NoderoleState];

export type TransitionResult =
  | { readonly ok: true; readonly to: NoderoleState }
  | { readonly ok: false; readonly reason: string };

export const transition = (from: NoderoleState, event: NoderoleEvent): TransitionResult => {
  const table: Readonly<Record<string, NoderoleState>> = TRANSITIONS[from];
  const to = table[event];
  return to === undefined
    ? { ok: false, reason: `a noderole in ${from} does not take ${event}` }
    : { ok: true, to };
};

/** Every legal pair of states, once. */
export const legalPairs = (): readonly (readonly [NoderoleState, NoderoleState])[] =>
  (Object.keys(TRANSITIONS) as NoderoleState[]).flatMap((from) =>
    [...new Set<NoderoleState>(Object.values(TRANSITIONS[from]))].map((to) => [from, to] as const),
  );
