/**
 * Every advisory lock the engine takes, in one place: two jobs that share a number by accident keep
 * each other from working, and nothing would say so.
 *
 * PostgreSQL has two spaces of keys: one number, or a pair. A pair's second half is the taker's own.
 */
export const LOCKS = {
  migrate: 7_205_759,
  sequenceEvents: 7_205_760,
  putRight: 7_205_761,
  cleanUp: 7_205_762,
  judgePresence: 7_205_763,
} as const;

export const PAIR_LOCKS = {
  /** With 0 for all machines at once, else a hash of one part of a machine's identity. */
  identity: 7205,
  /** With a hash of the name. */
  nodeName: 7206,
  adminNode: 7207,
  /** Who is an admin: the last one must stay one. */
  admins: 7208,
  /** With the id of the boot server that is fed. */
  feed: 7209,
  tree: 7_205_760,
} as const;
