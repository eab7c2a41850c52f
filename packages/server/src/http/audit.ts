/** A row for every change that was made: who, what, on what, with what - and no secret. */
import type { OperationShape } from '@hostwright/api';
import type { JsonObject, JsonValue } from '@hostwright/core';
import { writeAudit } from '@hostwright/engine';
import type { Context } from '../context.ts';
import type { Call } from './route.ts';

const SECRET_KEYS = new Set([
  'password',
  'current',
  'secret',
  'token',
  'value',
  'key',
  'signingKey',
  'files',
]);
const LONGEST_DETAIL = 4096;

const redact = (value: unknown, depth = 0): JsonValue => {
  if (Array.isArray(value))
    return value.length > 20
      ? [
          ...value.slice(0, 20).map((item) => redact(item, depth + 1)),
          `and ${value.length - 20} more`,
        ]
      : value.map((item) => redact(item, depth + 1));
  if (typeof value === 'object' && value !== null)
    return depth > 6
      ? '…'
      : Object.fromEntries(
          Object.entries(value)
            .slice(0, 50)
            .map(([key, item]) => [key, SECRET_KEYS.has(key) ? '…' : redact(item, depth + 1)]),
        );
  if (typeof value === 'string') return value.slice(0, 500);
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
};

const detailOf = (call: Call<OperationShape>): JsonObject => {
  const detail: JsonObject = { ip: call.request.ip, request: call.request.id };
  const body: unknown = call.body;
  if (body !== undefined) detail.body = redact(body);
  if (Object.keys(call.query).length > 0) detail.query = redact(call.query);
  return JSON.stringify(detail).length > LONGEST_DETAIL
    ? { ip: call.request.ip, request: call.request.id, body: 'too long to keep' }
    : detail;
};

export const recordAudit = async (
  context: Context,
  done: { readonly operation: OperationShape; readonly call: Call<OperationShape> },
): Promise<void> => {
  const { operation, call } = done;
  const subject = Object.entries(call.params)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
  try {
    await writeAudit(context.db, {
      actor: call.caller.name,
      action: operation.id,
      subject: subject.slice(0, 500),
      detail: detailOf(call),
    });
  } catch (error) {
    // the change is made: to answer "failed" now would be a lie
    context.log.error(
      { err: error, operation: operation.id, actor: call.caller.name },
      'audit row not written',
    );
  }
};
