/**
 * Which event makes which hook. A new hook is a new line here (and, for a new sort of subject, its
 * type in subject.ts); the interface a barclamp sees follows from it.
 */
export const HOOKS = {
  onProposed: { event: 'noderole.state', to: 'proposed', subject: 'noderole' },
  onBlocked: { event: 'noderole.state', to: 'blocked', subject: 'noderole' },
  onTodo: { event: 'noderole.state', to: 'todo', subject: 'noderole' },
  onTransition: { event: 'noderole.state', to: 'transition', subject: 'noderole' },
  onActive: { event: 'noderole.state', to: 'active', subject: 'noderole' },
  onError: { event: 'noderole.state', to: 'error', subject: 'noderole' },
  onRemoved: { event: 'noderole.removed', subject: 'noderole' },
  onNodeCreate: { event: 'node.created', subject: 'node' },
  onNodeChange: { event: 'node.changed', subject: 'node' },
  onNodeDelete: { event: 'node.deleted', subject: 'node' },
  onDeploymentCreate: { event: 'deployment.created', subject: 'deployment' },
  onDeploymentDelete: { event: 'deployment.deleted', subject: 'deployment' },
  onNetworkCreate: { event: 'network.created', subject: 'network' },
  onNetworkChange: { event: 'network.changed', subject: 'network' },
  onNetworkDelete: { event: 'network.deleted', subject: 'network' },
  onAllocationCreate: { event: 'allocation.created', subject: 'allocation' },
  onAllocationChange: { event: 'allocation.changed', subject: 'allocation' },
  onAllocationDelete: { event: 'allocation.deleted', subject: 'allocation' },
} as const;

/** Asked before a change is made, in its transaction; may refuse it. */
export const VETO_HOOKS = ['onCommit', 'onNodeBind'] as const;

export type HookName = keyof typeof HOOKS;
