/**
 * Every kind of event there is. A new kind is a new line here and in docs/reference/events.md; a
 * test compares both with what the code emits.
 */

/** Written by triggers of the database in the transaction that makes the change. */
export const TRIGGER_KINDS = [
  'noderole.state',
  'noderole.removed',
  'run.status',
  'node.created',
  'node.changed',
  'node.deleted',
] as const;

/** Written through `emit`. */
export const EMITTED_KINDS = [
  'annealer.changed',
  'barclamp.imported',
  'deployment.created',
  'deployment.changed',
  'deployment.deleted',
  'deployment.paused',
  'deployment.resumed',
  'snapshot.proposed',
  'snapshot.changed',
  'snapshot.discarded',
  'snapshot.committed',
  'snapshot.recalled',
  'snapshot.halted',
  'snapshot.finished',
  'consent.granted',
  'consent.used',
  'noderole.changed',
  'node.adopted',
  'node.offered',
  'node.conflict',
  'node.power',
  'group.created',
  'group.changed',
  'group.deleted',
  'hammer.changed',
  'jig.changed',
  'secret.changed',
  'network.created',
  'network.changed',
  'network.deleted',
  'allocation.created',
  'allocation.changed',
  'allocation.deleted',
  'boot.intent',
  'boot.step',
  'hook.failed',
  'hook.event',
  'webhook.changed',
  'webhook.disabled',
] as const;

export const EVENT_KINDS = [...TRIGGER_KINDS, ...EMITTED_KINDS] as const;
export type EmittedKind = (typeof EMITTED_KINDS)[number];
export type EventKind = (typeof EVENT_KINDS)[number];
