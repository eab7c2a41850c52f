/** Runs and events are indexed by node: this is how they are found by noderole, also by one that is gone. */
import { sql, type RawBuilder } from 'kysely';

/** A select of the ids of the nodes that these noderoles are or were on. */
export const nodesOf = (noderoleIds: readonly number[]): RawBuilder<unknown> => sql`
  select node_id from noderole where id = any(${[...noderoleIds]}::bigint[])
  union select node_id from removed_noderole where id = any(${[...noderoleIds]}::bigint[])`;
