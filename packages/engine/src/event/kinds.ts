/**
 * Every kind of event there is, and the keys its payload may have. A new kind or key is a new word
 * here and in docs/reference/events.md: the compiler compares this with what code emits, a test
 * with what triggers write and with the page.
 */

/** Written by triggers of the database in the transaction that makes the change. */
export const TRIGGER_EVENTS = {
  'noderole.state': ['from', 'to', 'role', 'reason', 'cause', 'revision'],
  'noderole.removed': ['from', 'role'],
  'run.status': ['from', 'to', 'kind', 'token', 'lane', 'error', 'worker'],
  'node.created': ['name'],
  'node.changed': [
    'name',
    'alive',
    'aliveReason',
    'available',
    'bootenv',
    'bootEpoch',
    'deployment',
    'facts',
    'hint',
    'labels',
  ],
  'node.deleted': ['name', 'alive', 'aliveReason'],
  'network.created': ['id', 'name'],
  'network.changed': ['id', 'name'],
  'network.deleted': ['id', 'name'],
  'allocation.created': ['id', 'address', 'network', 'range'],
  'allocation.changed': ['id', 'address', 'network', 'range'],
  'allocation.deleted': ['id', 'address', 'network', 'range'],
} as const;

/** Written through `emit`. */
export const EMITTED_EVENTS = {
  'annealer.changed': ['mode', 'actor'],
  'barclamp.imported': ['name', 'version', 'actor', 'added', 'changed', 'dropped'],
  'deployment.created': ['name', 'parentId', 'actor'],
  'deployment.changed': ['name', 'actor'],
  'deployment.deleted': ['name', 'actor'],
  'deployment.paused': ['actor'],
  'deployment.resumed': ['actor'],
  'snapshot.proposed': ['snapshotId', 'revision', 'basedOn', 'actor'],
  'snapshot.changed': [
    'snapshotId',
    'revision',
    'actor',
    'bound',
    'unbound',
    'data',
    'role',
    'removedRole',
    'nodeId',
  ],
  'snapshot.discarded': ['snapshotId', 'revision', 'actor'],
  'snapshot.committed': ['snapshotId', 'revision', 'actor', 'added', 'changed', 'rerun', 'removed'],
  'snapshot.recalled': ['snapshotId', 'revision', 'actor'],
  'snapshot.halted': ['snapshotId', 'reason'],
  'snapshot.finished': ['snapshotId', 'revision'],
  'consent.granted': ['actor', 'inputHash', 'disks'],
  'node.adopted': ['name', 'by', 'actor'],
  'node.offered': ['name', 'by'],
  'node.conflict': ['contested'],
  'node.power': ['wanted', 'reason'],
  'node.erasure': ['state', 'disks', 'reason', 'actor'],
  'boot.began': ['id', 'seen'],
  'boot.seen': ['id', 'seen'],
  'group.created': ['id', 'name', 'actor'],
  'group.changed': ['id', 'name', 'added', 'removed', 'actor'],
  'group.deleted': ['id', 'name', 'actor'],
  'hammer.changed': ['hammer', 'change', 'actor'],
  'jig.changed': ['name', 'active', 'change', 'actor'],
  'secret.changed': ['name', 'change', 'count', 'actor'],
  'hook.failed': ['handler', 'event', 'eventKind', 'call', 'attempts', 'error'],
  /** Of a barclamp's own making: any keys. */
  'hook.event': 'any',
  'webhook.changed': ['name', 'change', 'actor'],
  'webhook.disabled': ['name', 'reason'],
} as const;

export type EmittedKind = keyof typeof EMITTED_EVENTS;
export type EventKind = keyof typeof TRIGGER_EVENTS | EmittedKind;

const TRIGGER_KINDS = Object.keys(TRIGGER_EVENTS) as (keyof typeof TRIGGER_EVENTS)[];
const EMITTED_KINDS = Object.keys(EMITTED_EVENTS) as EmittedKind[];
export const EVENT_KINDS: readonly EventKind[] = [...TRIGGER_KINDS, ...EMITTED_KINDS];
