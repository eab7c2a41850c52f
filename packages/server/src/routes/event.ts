import { event_list, event_stream } from '@hostwright/api/nouns/event';
import {
  listEvents,
  needDeploymentId,
  needNode,
  readEvents,
  type Cursor,
  type Db,
  type EventFilter,
  type EventRecord,
} from '@hostwright/engine';
import { rawRoute, route } from '../http/route.ts';
import { openEventSink } from '../stream/event-source.ts';

const view = ({ position, ...event }: EventRecord) => ({
  cursor: `${position}.${event.id}`,
  ...event,
});

const cursorOf = (text: string): Cursor => {
  const [position = '0', id] = text.split('.');
  return {
    position: Number(position),
    id: id === undefined ? Number.MAX_SAFE_INTEGER : Number(id),
  };
};
export const cursorText = (cursor: Cursor): string => `${cursor.position}.${cursor.id}`;

interface Wish {
  readonly kind?: readonly string[] | undefined;
  readonly deployment?: string | undefined;
  readonly node?: string | undefined;
  readonly noderole?: number | undefined;
  readonly run?: number | undefined;
}

const filterOf = async (db: Db, wish: Wish): Promise<EventFilter> => ({
  ...(wish.kind === undefined ? {} : { kinds: wish.kind }),
  ...(wish.deployment === undefined
    ? {}
    : { deploymentIds: [await needDeploymentId(db, wish.deployment)] }),
  ...(wish.node === undefined ? {} : { nodeIds: [(await needNode(db, wish.node)).id] }),
  ...(wish.noderole === undefined ? {} : { noderoleIds: [wish.noderole] }),
  ...(wish.run === undefined ? {} : { runIds: [wish.run] }),
});

const LAST_EVENT_ID = /^\d{1,16}(\.\d{1,16})?$/;

export const eventRoutes = () => [
  route(event_list, async ({ query, context }) => {
    const filter = await filterOf(context.db, query);
    const limit = query.limit ?? 100;
    if (query.after !== undefined) {
      const page = await readEvents(context.db, { after: cursorOf(query.after), limit, filter });
      return { items: page.events.map(view), next: page.more ? cursorText(page.cursor) : null };
    }
    const events = await listEvents(context.db, { filter, before: query.before, limit });
    const last = events.at(-1);
    return {
      items: events.map(view),
      next: events.length === limit && last !== undefined ? String(last.id) : null,
    };
  }),
  rawRoute(event_stream, async ({ query, context, request, reply }) => {
    const filter = await filterOf(context.db, query);
    const header = request.headers['last-event-id'];
    const from = typeof header === 'string' && LAST_EVENT_ID.test(header) ? header : query.after;
    const sink = openEventSink(request, reply, context.config.streamStallSeconds);
    const after = from === undefined ? context.feed.head() : cursorOf(from);
    // where a client that has seen nothing yet must resume from
    sink.send({ id: cursorText(after), event: 'hello', data: '{}' });
    const subscription = context.feed.subscribe({
      after,
      filter,
      onEvents: async (page) => {
        // events were dropped by retention: the reader must read everything anew
        if (page.lost) sink.send({ event: 'lost', data: '{}' });
        for (const event of page.events) {
          const shown = view(event);
          if (!sink.send({ id: shown.cursor, event: event.kind, data: JSON.stringify(shown) }))
            return;
          await sink.drained();
        }
      },
      onError: (error) => {
        context.log.warn({ err: error }, 'an event stream broke');
        sink.end();
      },
    });
    sink.closed.addEventListener('abort', () => subscription.close(), { once: true });
    if (sink.closed.aborted) subscription.close();
    context.streams.add(sink);
    sink.closed.addEventListener('abort', () => context.streams.delete(sink), { once: true });
  }),
];
