/**
 * Which reads an event makes stale. Reads are repeated soon after the first event that touches
 * them, and then at a pace that their own cost and the rate of events allow.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { Feed } from './feed.ts';

/** By the first word of their kind. What `hook.` tells is only read in the list of events. */
export const TOUCHES: readonly (readonly [prefix: string, operations: readonly string[]])[] = [
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
  ['node.', ['node_', 'deployment_matrix', 'system_get', 'boot_', 'bootenv_', 'network_matrix']],
  ['boot.', ['boot_list', 'boot_get', 'node_why']],
  ['snapshot.', ['snapshot_', 'deployment_']],
  ['deployment.', ['deployment_', 'snapshot_']],
  ['barclamp.', ['barclamp_', 'role_', 'jig_']],
  ['jig.', ['jig_']],
  ['setting.', ['setting_', 'annealer_get']],
  ['annealer.', ['annealer_']],
  ['consent.', ['noderole_']],
  ['group.', ['group_', 'node_']],
  ['hammer.', ['node_', 'hammer_']],
  ['secret.', ['secret_']],
  ['webhook.', ['webhook_']],
  ['network.', ['network_', 'allocation_']],
  ['allocation.', ['network_', 'allocation_']],
];

/** Follow events themselves, cell by cell; they ask for a fresh read when they need one. */
const SELF_KEPT = new Set([
  'deployment_matrix',
  'fleet_get',
  'event_list',
  'deployment_explain_binding',
]);

const FIRST_MS = 80;

/** One of these events speaks for all of its second: what it touches is read once more after it. */
const SPEAKS_FOR_A_SECOND = 'boot.';
const SECOND_MS = 1100;

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
      predicate: (query) => {
        const [id] = query.queryKey;
        if (typeof id !== 'string' || SELF_KEPT.has(id)) return false;
        const touching = prefixes.filter((prefix) => id.startsWith(prefix));
        if (touching.length === 0) return false;
        if (query.state.fetchStatus === 'idle') return true;
        // a read under way may have been made before the event: it is repeated afterwards
        if (query.isActive()) for (const prefix of touching) stale.add(prefix);
        return false;
      },
    });
    if (stale.size > 0) timer = setTimeout(flush, pace());
  };
  const pace = (): number => (feed.rate() > 200 ? 3000 : feed.rate() > 30 ? 1200 : 350);
  const touch = (kind: string): void => {
    for (const [prefix, operations] of TOUCHES)
      if (kind.startsWith(prefix)) for (const each of operations) stale.add(each);
    if (stale.size === 0 || timer !== undefined) return;
    const since = performance.now() - last;
    timer = setTimeout(flush, Math.max(FIRST_MS, pace() - since));
  };
  let afterwards: ReturnType<typeof setTimeout> | undefined;
  feed.onEvents((events) => {
    for (const { kind } of events) touch(kind);
    if (!events.some(({ kind }) => kind.startsWith(SPEAKS_FOR_A_SECOND))) return;
    clearTimeout(afterwards);
    afterwards = setTimeout(() => touch(SPEAKS_FOR_A_SECOND), SECOND_MS);
  });
  feed.onGap(() => void queries.invalidateQueries({ refetchType: 'active' }));
};
