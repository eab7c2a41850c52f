/** The newest events in memory, without a gap, so that many readers at the head cost one read. */
import type { Cursor, EventPage, EventRecord } from './read.ts';

const KEEP = 5000;

export interface Recent {
  add(page: EventPage): void;
  restart(at: Cursor): void;
  /** The events after a place, or undefined if the place is older than what is held here. */
  after(
    place: Cursor,
    limit: number,
  ): { events: EventRecord[]; cursor: Cursor; more: boolean } | undefined;
}

const isAfter = (event: Cursor, place: Cursor): boolean =>
  event.position > place.position || (event.position === place.position && event.id > place.id);

export const createRecent = (): Recent => {
  let from: Cursor = { position: 0, id: 0 };
  let to: Cursor = from;
  let events: EventRecord[] = [];
  return {
    restart: (at) => {
      from = at;
      to = at;
      events = [];
    },
    add: (page) => {
      events.push(...page.events);
      to = page.cursor;
      if (events.length > KEEP * 2) {
        const dropped = events.length - KEEP;
        const last = events[dropped - 1];
        if (last !== undefined) from = { position: last.position, id: last.id };
        events = events.slice(dropped);
      }
    },
    after: (place, limit) => {
      if (isAfter(from, place)) return undefined;
      let low = 0;
      let high = events.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        const event = events[middle];
        if (event !== undefined && isAfter(event, place)) high = middle;
        else low = middle + 1;
      }
      const found = events.slice(low, low + limit);
      const more = low + limit < events.length;
      const last = found.at(-1);
      if (more && last !== undefined)
        return { events: found, cursor: { position: last.position, id: last.id }, more };
      return { events: found, cursor: isAfter(to, place) ? to : place, more: false };
    },
  };
};
