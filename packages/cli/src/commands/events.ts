import { event_list, event_stream, type Event } from '@hostwright/api/nouns/event';
import { connect } from '../connect.ts';
import type { Invocation } from '../invocation.ts';
import { harmless } from '../show-fields.ts';

const show = (call: Invocation, event: Event): void => {
  if (call.out.json) return call.out.raw(`${JSON.stringify(event)}\n`);
  const about = [
    event.nodeId !== null && `node ${event.nodeId}`,
    event.noderoleId !== null && `noderole ${event.noderoleId}`,
    event.runId !== null && `run ${event.runId}`,
  ].filter(Boolean);
  call.out.line(
    `${call.out.paint('dim', event.at)} ${call.out.paint('bold', event.kind)} ${about.join(' ')} ${harmless(event.payload)}`,
  );
};

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const node = call.text('node');
  const deployment = call.text('deployment');
  const filter = {
    ...(call.many('kind').length > 0 && { kind: [...call.many('kind')] }),
    ...(node !== undefined && { node }),
    ...(deployment !== undefined && { deployment }),
  };
  const limit = call.number('limit', { least: 1, most: 1000 }) ?? 50;
  const past = await client.call(event_list, { query: { ...filter, limit } });
  const ordered = past.items.toReversed();
  for (const event of ordered) show(call, event);
  if (!call.flag('follow')) return;
  const after = ordered.at(-1)?.cursor;
  const { signal } = new AbortController();
  const query = { ...filter, ...(after !== undefined && { after }) };
  for await (const message of client.stream(event_stream, { query }, { signal }))
    // the server checks what it sends against the same schema
    show(call, JSON.parse(message.data) as Event);
};
