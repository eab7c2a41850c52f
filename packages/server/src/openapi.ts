/**
 * The OpenAPI 3.1 document, printed from the contract that the server itself runs by. The golden
 * copy is docs/reference/openapi.json; a test compares, `npm run gen` writes it.
 */
import { API_PREFIX, type OperationShape } from '@hostwright/api';
import { OBJECTS, OPERATIONS } from '@hostwright/api/all';
import { problem } from '@hostwright/api/schema';
import { ERRORS } from '@hostwright/core';
import { z } from 'zod';
import { VERSION } from './version.ts';

type Json = { [key: string]: unknown };

/** `node_list` -> `NodeList`. */
const pascal = (id: string): string =>
  id
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const JSON_VALUE = '#/components/schemas/JsonValue';

// zod says of every integer that it is a safe one
const NOISE = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

/**
 * zod hoists what recurs: here only a JSON value does. An answer may grow fields in a later version,
 * so clients must not refuse those they do not know.
 */
const tidy = (value: unknown, io: 'input' | 'output'): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidy(item, io));
  if (typeof value !== 'object' || value === null) return value;
  const out: Json = {};
  for (const [key, item] of Object.entries(value)) {
    const dropped =
      key === '$schema' ||
      key === '$defs' ||
      ((key === 'minimum' || key === 'maximum') && NOISE.has(item)) ||
      (key === 'pattern' && 'format' in value) ||
      (key === 'additionalProperties' && item === false && io === 'output');
    if (dropped) continue;
    const recurs = key === '$ref' && typeof item === 'string' && item.includes('$defs/');
    out[key] = recurs ? JSON_VALUE : tidy(item, io);
  }
  return out;
};

const nameOf = (schema: unknown): string | undefined => {
  const name = OBJECTS.get(schema as z.ZodType);
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
};

const convert = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = (zodSchema as unknown) === schema ? undefined : nameOf(zodSchema);
      if (name === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      jsonSchema['$ref'] = `#/components/schemas/${name}`;
    },
  });
  return tidy(json, io) as Json;
};

const refTo = (schema: z.ZodType, otherwise: string): Json => ({
  $ref: `#/components/schemas/${nameOf(schema) ?? otherwise}`,
});

const parametersOf = (operation: OperationShape): Json[] => {
  const from = (schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] => {
    if (schema === undefined) return [];
    const { properties = {}, required = [] } = convert(schema, 'input') as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...shape }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: shape,
    }));
  };
  const header = (name: string, description: string): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  return [
    ...from(operation.params, 'path'),
    ...from(operation.query, 'query'),
    ...(operation.idempotent === true
      ? [header('Idempotency-Key', 'the same key again gets the first answer')]
      : []),
    ...(operation.ifMatch === true
      ? [header('If-Match', 'ETag that was read; 412 if the object has changed')]
      : []),
    ...(operation.medium === 'events' ? [header('Last-Event-ID', 'resume behind this event')] : []),
  ];
};

const MEDIA = {
  json: 'application/json',
  events: 'text/event-stream',
  text: 'text/plain',
} as const;

const answerOf = (operation: OperationShape): Json => {
  const status = String(operation.status ?? 200);
  const media = MEDIA[operation.medium ?? 'json'];
  if (operation.answer === undefined)
    return operation.medium === undefined
      ? { '204': { description: 'done' } }
      : {
          [status]: {
            description: operation.summary,
            content: { [media]: { schema: { type: 'string' } } },
          },
        };
  const schema = refTo(operation.answer, `${pascal(operation.id)}Answer`);
  return { [status]: { description: operation.summary, content: { [media]: { schema } } } };
};

const describe = (operation: OperationShape): Json => ({
  operationId: operation.id,
  summary: operation.summary,
  tags: [operation.id.split('_')[0]],
  'x-role': operation.access,
  ...(operation.grantBy === undefined ? {} : { 'x-grant-by': operation.grantBy }),
  security: operation.access === 'anyone' ? [] : [{ token: [] }, { session: [] }],
  parameters: parametersOf(operation),
  ...(operation.takes === 'bytes' && {
    requestBody: {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  }),
  ...(operation.body === undefined
    ? {}
    : {
        requestBody: {
          required: !operation.body.safeParse(undefined).success,
          content: {
            'application/json': {
              schema: { $ref: `#/components/schemas/${pascal(operation.id)}Body` },
            },
          },
        },
      }),
  responses: {
    ...answerOf(operation),
    default: { $ref: '#/components/responses/Problem' },
  },
});

const schemasOf = (operation: OperationShape): [string, Json][] => {
  const { body, answer } = operation;
  const named: [string, Json][] = [];
  if (body !== undefined) named.push([`${pascal(operation.id)}Body`, convert(body, 'input')]);
  if (answer !== undefined && nameOf(answer) === undefined)
    named.push([`${pascal(operation.id)}Answer`, convert(answer, 'output')]);
  return named;
};

const objectSchemas = (): [string, Json][] =>
  [...OBJECTS.keys()].map((schema) => [nameOf(schema) ?? '', convert(schema, 'output')]);

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

export const describeApi = (): Json => {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    const path = `${API_PREFIX}${operation.path.replaceAll(/:([a-zA-Z]+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hostwright',
      version: VERSION,
      description:
        'Machines from "it exists" to "it does its job". See docs/reference/api.md for what holds everywhere.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(Object.entries(paths).toSorted(byName)),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-hostwright_session' },
      },
      responses: {
        Problem: {
          description: `Refused or failed; codes: ${Object.keys(ERRORS).join(', ')}`,
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
          },
        },
      },
      schemas: Object.fromEntries([
        ['JsonValue', { description: 'any JSON value' }],
        ['Problem', convert(problem, 'output')],
        ...[...objectSchemas(), ...OPERATIONS.flatMap(schemasOf)].toSorted(byName),
      ]),
    },
  };
};
