/**
 * One operation of the API as a value: the server registers it, the client calls it, OpenAPI is
 * printed from it. Nothing here may import from node:, the console runs it in the browser.
 */
import type { z } from 'zod';

/** The prefix of every path below. */
export const API_PREFIX = '/api/v2';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type AccessRole = (typeof ROLES)[number];

/** Who may call: `anyone` needs no sign-in at all. */
export type Access = 'anyone' | AccessRole;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How the answer travels: most are JSON, streams are server-sent events, metrics are text. */
export type Medium = 'json' | 'events' | 'text';

export interface OperationShape {
  /** `noun_verb`; also the operationId in OpenAPI. */
  readonly id: `${string}_${string}`;
  readonly method: Method;
  /** Under /api/v2, with `:name` for parameters. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly access: Access;
  /**
   * A grant on the deployment that this parameter leads to raises the caller's role there.
   * Absent: only the role that holds everywhere counts.
   */
  readonly grantBy?: 'deployment' | 'snapshot' | 'noderole' | 'run' | 'node';
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body is bytes (application/octet-stream), of any size, and is read by the handler. */
  readonly takes?: 'bytes';
  readonly answer?: z.ZodType;
  readonly status?: 200 | 201 | 202 | 204;
  readonly medium?: Medium;
  /** An `Idempotency-Key` header makes a repeated call answer what the first one did. */
  readonly idempotent?: boolean;
  /** `If-Match` with the ETag that was read refuses a change made on old ground (412). */
  readonly ifMatch?: boolean;
  /** Largest body taken, in bytes; 1 MiB if absent. */
  readonly bodyLimit?: number;
}

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Part<Key extends string, Schema> = Schema extends z.ZodType
  ? Record<string, never> extends z.input<Schema>
    ? { readonly [K in Key]?: InputOf<Schema> }
    : { readonly [K in Key]: InputOf<Schema> }
  : unknown;

type SchemaAt<Operation, Key extends string> = Operation extends { readonly [K in Key]: infer S }
  ? S
  : undefined;

/** What a caller must give: params, query, body; each only where the operation has it. */
export type CallInput<Operation extends OperationShape> = Part<
  'params',
  SchemaAt<Operation, 'params'>
> &
  Part<'query', SchemaAt<Operation, 'query'>> &
  Part<'body', SchemaAt<Operation, 'body'>>;

export type Answer<Operation extends OperationShape> =
  SchemaAt<Operation, 'answer'> extends z.ZodType
    ? z.output<SchemaAt<Operation, 'answer'> & z.ZodType>
    : undefined;

export type ParamsOf<Operation extends OperationShape> =
  SchemaAt<Operation, 'params'> extends z.ZodType
    ? z.output<SchemaAt<Operation, 'params'> & z.ZodType>
    : Record<string, never>;
export type QueryOf<Operation extends OperationShape> =
  SchemaAt<Operation, 'query'> extends z.ZodType
    ? z.output<SchemaAt<Operation, 'query'> & z.ZodType>
    : Record<string, never>;
export type BodyOf<Operation extends OperationShape> =
  SchemaAt<Operation, 'body'> extends z.ZodType
    ? z.output<SchemaAt<Operation, 'body'> & z.ZodType>
    : undefined;

/** Keeps the literal types of the value; checks its shape. */
export const defineOperation = <const Operation extends OperationShape>(
  operation: Operation,
): Operation => operation;
