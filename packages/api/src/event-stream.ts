/**
 * Reads server-sent events from fetch (EventSource takes no headers, and Node has none).
 * A stream that breaks is opened again with Last-Event-ID, so that nothing is missed; a refusal
 * (401, 403, 404, 400) is thrown, because trying again would not help.
 */
import { ProblemError } from './problem.ts';

export interface EventMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface EventStreamOptions {
  readonly connect: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  readonly signal: AbortSignal;
  readonly lastEventId?: string;
  readonly onState?: (state: 'open' | 'broken', error?: unknown) => void;
}

/** Silence after which the connection is taken for dead; the server pings every 15 s. */
const SILENCE_MS = 45_000;

/** Splits a stream of text into messages. Comments (pings) and unknown fields are passed over. */
export const createMessageParser = (): ((chunk: string) => EventMessage[]) => {
  let rest = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  const takeLine = (line: string, out: EventMessage[]): void => {
    if (line === '') {
      if (data.length > 0) out.push({ id, event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id') id = value;
  };
  return (chunk) => {
    const out: EventMessage[] = [];
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line, out);
    return out;
  };
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

/** Whoever looks at a page does not wait longer than this after a server was gone for hours. */
const LAST_WAIT_MS = 3000;

async function* readOnce(
  options: EventStreamOptions,
  lastEventId: string | undefined,
): AsyncGenerator<EventMessage, void, void> {
  const silence = new AbortController();
  const stop = AbortSignal.any([options.signal, silence.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error('the event stream fell silent')), SILENCE_MS);
  };
  try {
    heard();
    const headers: Record<string, string> =
      lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await options.connect(headers, stop);
    options.onState?.('open');
    if (response.body === null) return;
    const parse = createMessageParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield* parse(value);
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Ends when the signal aborts, or after a message `end` (a log that is complete). */
export async function* readEventStream(
  options: EventStreamOptions,
): AsyncGenerator<EventMessage, void, void> {
  let lastEventId = options.lastEventId;
  let wait = 250;
  while (!options.signal.aborted) {
    try {
      for await (const message of readOnce(options, lastEventId)) {
        wait = 250;
        if (message.id !== '') lastEventId = message.id;
        yield message;
        // what came in the same piece as the last one is not for a reader who has stopped
        if (message.event === 'end' || options.signal.aborted) return;
      }
      options.onState?.('broken');
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof ProblemError && !error.retryable) throw error;
      options.onState?.('broken', error);
    }
    // random, so that a thousand consoles do not come back in one instant after a restart
    await pause(wait * (0.5 + Math.random()), options.signal);
    wait = Math.min(wait * 2, LAST_WAIT_MS);
  }
}
