/**
 * Which reads an event makes stale. Reads are repeated soon after the first event that touches
 * them, and then at a pace that their own cost and the rate of events allow.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Feed } from './feed.ts';

const TOUCHES: readonly (readonly [prefix: string, operations: readonly string[]])[] = [
  [
    'noderole.',
    [
      'noderole_',
      'deployment_',
      'node_why',
      'node_list',
      'annealer_get',
      'snapshot_progress',
      'role_',
    ],
  ],
  ['run.', ['run_', 'annealer_get', 'noderole_', 'node_why', 'annealer_series', 'deployment_why']],
  ['node.', ['node_', 'deployment_matrix', 'system_get']],
  ['snapshot.', ['snapshot_', 'deployment_']],
  ['deployment.', ['deployment_', 'snapshot_']],
  ['barclamp.', ['barclamp_', 'role_', 'jig_']],
  ['jig.', ['jig_']],
  ['setting.', ['setting_', 'annealer_get']],
  ['annealer.', ['annealer_']],
];

/** Follow events themselves, cell by cell; they ask for a fresh read when they need one. */
const SELF_KEPT = new Set([
  'deployment_matrix',
  'fleet_get',
  'event_list',
  'deployment_explain_binding',
]);

const FIRST_MS = 80;

export const createInvalidator = (queries: QueryClient, feed: Feed): void => {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const flush = (): void => {
    timer = undefined;
    last = performance.now();
    const prefixes = [...stale];
    stale.clear();
    void queries.invalidateQueries({
      refetchType: 'active',
      predicate: ({ queryKey: [id], state }) =>
        typeof id === 'string' &&
        state.fetchStatus === 'idle' &&
        !SELF_KEPT.has(id) &&
        prefixes.some((prefix) => id.startsWith(prefix)),
    });
  };
  const pace = (): number => (feed.rate() > 200 ? 3000 : feed.rate() > 30 ? 1200 : 350);
  feed.onEvents((events) => {
    for (const event of events)
      for (const [prefix, operations] of TOUCHES)
        if (event.kind.startsWith(prefix)) for (const each of operations) stale.add(each);
    if (stale.size === 0 || timer !== undefined) return;
    const since = performance.now() - last;
    timer = setTimeout(flush, Math.max(FIRST_MS, pace() - since));
  });
  feed.onGap(() => void queries.invalidateQueries({ refetchType: 'active' }));
};
