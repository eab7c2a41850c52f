/**
 * The typed client: one `call` for every operation. Runs in Node and in the browser; what is
 * Node's own (a private CA) comes in through `fetch` from ./node-fetch.ts.
 */
import { API_PREFIX, type Answer, type CallInput, type OperationShape } from './operation.ts';
import { problemFrom } from './problem.ts';
import { readEventStream, type EventMessage } from './event-stream.ts';

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Origin of the server; '' in the console, where requests are same-origin. */
  readonly url: string;
  /** API token. */
  readonly token?: string;
  /** In the console: the CSRF token of the session; the cookie travels by itself. */
  readonly csrf?: () => string | undefined;
  readonly fetch?: Fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
  /** ETag that was read: refuses with 412 if the object has changed since. */
  readonly ifMatch?: string;
  /** The bytes of an operation that takes them. */
  readonly bytes?: ReadableStream<Uint8Array>;
}

interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

type RequiredKeys<Input> = {
  [Key in keyof Input]-?: undefined extends Input[Key] ? never : Key;
}[keyof Input];

/** The input may be left out only where nothing in it is required. */
type CallArguments<Operation extends OperationShape, Options> = [
  RequiredKeys<CallInput<Operation>>,
] extends [never]
  ? [input?: CallInput<Operation>, options?: Options]
  : [input: CallInput<Operation>, options?: Options];

export interface Client {
  call<const Operation extends OperationShape>(
    operation: Operation,
    ...rest: CallArguments<Operation, CallOptions>
  ): Promise<Answer<Operation>>;
  /** Like call, with the ETag beside the answer, and undefined where the server said 304. */
  read<const Operation extends OperationShape>(
    operation: Operation,
    ...rest: CallArguments<Operation, CallOptions & { readonly ifNoneMatch?: string }>
  ): Promise<{ readonly etag: string | null; readonly answer: Answer<Operation> | undefined }>;
  /** For answers that are text (metrics). */
  text<const Operation extends OperationShape>(
    operation: Operation,
    ...rest: CallArguments<Operation, CallOptions>
  ): Promise<string>;
  /** Follows a stream for ever: reconnects and resumes where it was, until the signal aborts. */
  stream<const Operation extends OperationShape>(
    operation: Operation,
    input: CallInput<Operation>,
    options: StreamOptions,
  ): AsyncGenerator<EventMessage, void, void>;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly lastEventId?: string;
  /** Told when the stream is open, and when it broke and will be tried again. */
  readonly onState?: (state: 'open' | 'broken', error?: unknown) => void;
}

/** Path with its parameters put in, and the query behind it. */
export const urlOf = (operation: OperationShape, input: AnyInput = {}): string => {
  const path = operation.path.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => {
    const value = input.params?.[name];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new TypeError(`${operation.id} needs the parameter ${name}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {})) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const item of value) search.append(key, String(item));
    // oxlint-disable-next-line typescript/no-base-to-string -- query values are scalars by contract
    else search.append(key, String(value));
  }
  const query = search.toString();
  return `${API_PREFIX}${path}${query === '' ? '' : `?${query}`}`;
};

export const createClient = (options: ClientOptions): Client => {
  const doFetch: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const origin = options.url.replace(/\/$/, '');

  const send = async (
    operation: OperationShape,
    input: AnyInput,
    extra: CallOptions & { readonly headers?: Record<string, string> },
  ): Promise<Response> => {
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      ...extra.headers,
    };
    if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`;
    const csrf = operation.method === 'GET' ? undefined : options.csrf?.();
    if (csrf !== undefined) headers['x-csrf-token'] = csrf;
    if (extra.idempotencyKey !== undefined) headers['idempotency-key'] = extra.idempotencyKey;
    if (extra.ifMatch !== undefined) headers['if-match'] = extra.ifMatch;
    const init: RequestInit = { method: operation.method, headers, credentials: 'same-origin' };
    if (input.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(input.body);
    }
    if (extra.bytes !== undefined) {
      headers['content-type'] = 'application/octet-stream';
      Object.assign(init, { body: extra.bytes, duplex: 'half' });
    }
    if (extra.signal !== undefined) init.signal = extra.signal;
    const url = urlOf(operation, input);
    const response = await doFetch(origin + url, init);
    // 304 and the 503 of readiness are answers, not problems
    if (response.ok || response.status === 304) return response;
    if (operation.id === 'system_ready' && response.status === 503) return response;
    throw problemFrom(response.status, await response.text(), url);
  };

  const answerOf = async (response: Response): Promise<unknown> =>
    response.status === 204 || response.status === 304 ? undefined : response.json();

  // Each cast below bridges the generic signature and the one untyped sender; the server checks
  // its answers against the same schemas in its tests.
  const call = async (operation: OperationShape, input?: AnyInput, extra: CallOptions = {}) =>
    answerOf(await send(operation, input ?? {}, extra));
  const read = async (
    operation: OperationShape,
    input?: AnyInput,
    extra: CallOptions & { readonly ifNoneMatch?: string } = {},
  ) => {
    const headers: Record<string, string> =
      extra.ifNoneMatch === undefined ? {} : { 'if-none-match': extra.ifNoneMatch };
    const response = await send(operation, input ?? {}, { ...extra, headers });
    return { etag: response.headers.get('etag'), answer: await answerOf(response) };
  };
  const text = async (operation: OperationShape, input?: AnyInput, extra: CallOptions = {}) =>
    (await send(operation, input ?? {}, extra)).text();
  const stream = (operation: OperationShape, input: AnyInput, streamOptions: StreamOptions) =>
    readEventStream({
      ...streamOptions,
      connect: (headers, signal) =>
        send(operation, input, { signal, headers: { ...headers, accept: 'text/event-stream' } }),
    });
  return {
    call: call as Client['call'],
    read: read as Client['read'],
    text: text as Client['text'],
    stream: stream as Client['stream'],
  };
};
