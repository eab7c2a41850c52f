/**
 * Turns an operation and its handler into a Fastify route. Nothing here knows a noun. The order is
 * fixed: who calls (before a byte of the body is read), may they, is what they sent right, was it
 * sent before, do it, write it down, answer.
 */
import { createHash } from 'node:crypto';
import {
  API_PREFIX,
  type Answer,
  type BodyOf,
  type OperationShape,
  type ParamsOf,
  type QueryOf,
} from '@hostwright/api';
import { HostwrightError, type Refusal } from '@hostwright/core';
import { auditChange, readDeploymentOf, writeAudit } from '@hostwright/engine';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkCsrf, covers, identify, roleIn, type Caller } from '../access/caller.ts';
import { DEFAULTS } from '../config.ts';
import type { Context } from '../context.ts';
import { auditEntryOf } from './audit.ts';
import { checkShape } from './body-shape.ts';
import { once } from './idempotency.ts';
import { refusalsOf } from './problem.ts';
import { sendJson } from './send-json.ts';

/** What a handler may give: times as Date, they become ISO 8601 on the wire. */
export type Sendable<Value> = Value extends string
  ? Value | (string extends Value ? Date : never)
  : Value extends readonly (infer Item)[]
    ? Value extends readonly [unknown, ...unknown[]]
      ? Value
      : readonly Sendable<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Sendable<Value[Key]> }
      : Value;

export interface Call<Operation extends OperationShape> {
  readonly params: ParamsOf<Operation>;
  readonly query: QueryOf<Operation>;
  readonly body: BodyOf<Operation>;
  /** Always there but on routes that are open to anyone. */
  readonly caller: Caller;
  readonly context: Context;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Revision in If-Match; undefined where none was sent. */
  readonly ifMatch: number | undefined;
  /** Sets the ETag of an object to its revision. */
  etag(revision: number): void;
}

export interface Route {
  readonly operation: OperationShape;
  /** The handler has answered by itself. */
  readonly raw?: boolean;
  readonly handle: (call: Call<OperationShape>) => Promise<unknown>;
}

export const route = <const Operation extends OperationShape>(
  operation: Operation,
  handle: (call: Call<Operation>) => Promise<Sendable<Answer<Operation>>>,
): Route => ({
  operation,
  // parse() below gives the handler exactly what the operation's schemas say
  handle,
});

/** The handler answers by itself (streams, text, readiness). */
export const rawRoute = <const Operation extends OperationShape>(
  operation: Operation,
  handle: (call: Call<Operation>) => Promise<void>,
): Route => ({ operation, handle, raw: true });

const NOBODY: Caller = {
  userId: null,
  name: 'anyone',
  role: 'viewer',
  grants: [],
  via: 'token',
  tokenId: null,
  narrowed: true,
  sessionId: null,
  csrf: null,
  expiresAt: null,
};

const admit = async (
  context: Context,
  operation: OperationShape,
  request: FastifyRequest,
): Promise<Caller> => {
  if (operation.access === 'anyone') return NOBODY;
  const caller = await identify(context.db, request, context.tls !== undefined);
  if (caller === undefined) throw new HostwrightError('unauthenticated');
  checkCsrf(caller, request);
  if (covers(caller.role, operation.access)) return caller;
  const { grantBy } = operation;
  if (grantBy !== undefined && caller.grants.length > 0) {
    const params = request.params as Readonly<Record<string, string>>;
    const deploymentId = await readDeploymentOf(context.db, {
      kind: grantBy,
      ref: params[grantBy] ?? '',
    });
    if (
      deploymentId !== undefined &&
      covers(await roleIn(context.db, caller, deploymentId), operation.access)
    )
      return caller;
  }
  throw new HostwrightError('forbidden', {
    message: `this needs the role ${operation.access}; ${caller.name} is ${caller.role}`,
  });
};

const parse = (operation: OperationShape, request: FastifyRequest) => {
  const refusals: Refusal[] = [];
  const part = (schema: OperationShape['body'], value: unknown, place: string): unknown => {
    if (schema === undefined) return place === 'body' ? undefined : {};
    const odd = checkShape(value, place);
    if (odd.length > 0) {
      refusals.push(...odd);
      return undefined;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    refusals.push(...refusalsOf(parsed.error, place));
    return undefined;
  };
  const params = part(operation.params, request.params, 'path');
  const query = part(operation.query, request.query, 'query');
  const body = part(operation.body, request.body ?? undefined, 'body');
  if (refusals.length > 0)
    throw new HostwrightError('bad_input', {
      message:
        refusals[0] === undefined ? 'bad input' : `${refusals[0].path}: ${refusals[0].message}`,
      refusals,
    });
  return { params, query, body } as Pick<Call<OperationShape>, 'params' | 'query' | 'body'>;
};

const ifMatchOf = (operation: OperationShape, request: FastifyRequest): number | undefined => {
  const header = request.headers['if-match'];
  if (operation.ifMatch !== true || header === undefined || header === '*') return undefined;
  const revision = /^(?:W\/)?"(\d{1,15})"$/.exec(header)?.[1];
  // an ETag that was never ours cannot match
  if (revision === undefined) throw new HostwrightError('precondition_failed');
  return Number(revision);
};

const requestHash = (operation: OperationShape, request: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([operation.id, request.url, request.body ?? null]))
    .digest();

const audited = (operation: OperationShape): boolean =>
  operation.method !== 'GET' && operation.access !== 'anyone';

/** The audit row goes into the transaction of the change; what changes no row of ours gets it after. */
const handleAudited = async (
  operation: OperationShape,
  call: Call<OperationShape>,
  handle: Route['handle'],
): Promise<unknown> => {
  const { context } = call;
  const entry = auditEntryOf(operation, call);
  const change = auditChange(context.db, entry);
  const answer = await handle({ ...call, context: { ...context, db: change.db } });
  if (!change.written()) await writeAudit(context.db, entry);
  return answer;
};

export const registerRoute = (
  app: FastifyInstance,
  context: Context,
  { operation, handle, raw }: Route,
): void => {
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    method: operation.method,
    url: `${API_PREFIX}${operation.path}`,
    bodyLimit: operation.bodyLimit ?? DEFAULTS.bodyLimit,
    config: { operation: operation.id, ...(operation.takes === 'bytes' && { endless: true }) },
    onRequest: async (request) => {
      callers.set(request, await admit(context, operation, request));
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? NOBODY;
      const input = parse(operation, request);
      const call: Call<OperationShape> = {
        ...input,
        caller,
        context,
        request,
        reply,
        ifMatch: ifMatchOf(operation, request),
        etag: (revision) => void reply.header('etag', `"${revision}"`),
      };
      if (raw === true) {
        await handle(call);
        return reply;
      }
      const key = request.headers['idempotency-key'];
      const act = async () => {
        const answer = audited(operation)
          ? await handleAudited(operation, call, handle)
          : await handle(call);
        return { status: operation.status ?? 200, answer };
      };
      if (operation.idempotent === true && typeof key === 'string')
        return once({
          context,
          caller,
          key,
          requestHash: requestHash(operation, request),
          reply,
          act,
        });
      const { status, answer } = await act();
      return sendJson({ context, operation, request, reply, status, answer });
    },
  });
};
