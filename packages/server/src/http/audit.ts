/** A row for every change that was made: who, what, on what, with what - and no secret. */
import type { OperationShape } from '@hostwright/api';
import type { JsonObject, JsonValue } from '@hostwright/core';
import type { AuditEntry } from '@hostwright/engine';
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

export const auditEntryOf = (operation: OperationShape, call: Call<OperationShape>): AuditEntry => {
  const subject = Object.entries(call.params)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
  return {
    actor: call.caller.name,
    action: operation.id,
    subject: subject.slice(0, 500),
    detail: detailOf(call),
  };
};
