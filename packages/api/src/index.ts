/**
 * Light on purpose: no zod, no nouns. Operations come from `@hostwright/api/nouns/<noun>`, so that
 * the CLI and the console load only what they use.
 */
export {
  createClient,
  urlOf,
  type CallOptions,
  type Client,
  type ClientOptions,
  type Fetch,
  type StreamOptions,
} from './client.ts';
export { createMessageParser, readEventStream, type EventMessage } from './event-stream.ts';
export {
  API_PREFIX,
  defineOperation,
  ROLES,
  type Access,
  type AccessRole,
  type Answer,
  type BodyOf,
  type CallInput,
  type OperationShape,
  type ParamsOf,
  type QueryOf,
} from './operation.ts';
export { ProblemError } from './problem.ts';
export type { Problem, Why } from './schema.ts';
