/** The same choice as the database makes in readEvents, for events already in memory. */
import type { EventFilter, EventRecord } from './read.ts';

const holds = (values: readonly number[] | undefined, value: number | null): boolean =>
  values === undefined || (value !== null && values.includes(value));

export const matches = (filter: EventFilter, event: EventRecord): boolean =>
  holds(filter.deploymentIds, event.deploymentId) &&
  holds(filter.nodeIds, event.nodeId) &&
  holds(filter.noderoleIds, event.noderoleId) &&
  holds(filter.runIds, event.runId) &&
  (filter.kinds === undefined ||
    filter.kinds.some((kind) =>
      kind.endsWith('.*') ? event.kind.startsWith(kind.slice(0, -1)) : event.kind === kind,
    ));
