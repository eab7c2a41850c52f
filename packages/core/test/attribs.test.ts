import { createHash } from 'node:crypto';
import {
  canonicalJson,
  checkData,
  declaredInputs,
  explainLayers,
  inputHash,
  inputsHold,
  inputsOf,
  LAYERS,
  MASK,
  maskDocument,
  merge,
  mergeLayers,
  pick,
  revealSecrets,
  secretNames,
  valueAt,
  type JsonObject,
  type JsonValue,
  type Layer,
} from '@hostwright/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeAttrib, makeCatalogue } from './fixture.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const layer = (name: Layer['layer'], document: JsonObject): Layer => ({
  layer: name,
  from: 'x',
  document,
});
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
const object = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__'),
  json,
) as fc.Arbitrary<JsonObject>;
const layers = fc
  .array(fc.tuple(fc.constantFrom(...LAYERS), object), { maxLength: 6 })
  .map((list) =>
    list
      .map(([name, document]) => layer(name, document))
      .sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer)),
  );

describe('layers', () => {
  test('stand in the order of the design, weakest first', () => {
    expect(LAYERS).toEqual([
      'role default',
      'barclamp',
      'discovery',
      'deployment',
      'deployment role',
      'ancestor wall',
      'own wall',
      'computed',
      'hint',
      'own data',
    ]);
    const all = LAYERS.map((name, index) => layer(name, { value: index }));
    for (let count = 1; count <= all.length; count++)
      expect(mergeLayers(all.slice(0, count))).toEqual({ value: count - 1 });
  });

  test('objects are merged key by key; lists and secrets are one value', () => {
    expect(merge({ a: { x: 1, y: 1 }, l: [1, 2] }, { a: { y: 2 }, l: [3] })).toEqual({
      a: { x: 1, y: 2 },
      l: [3],
    });
    expect(merge({ p: { $secret: 'old' } }, { p: { $secret: 'new' } })).toEqual({
      p: { $secret: 'new' },
    });
    expect(merge({ p: { user: 'a' } }, { p: { $secret: 'new' } })).toEqual({
      p: { $secret: 'new' },
    });
  });

  test('each key says which layer decided it and what it covers', () => {
    const explained = explainLayers([
      { layer: 'role default', from: 'web', document: { port: 80, log: { level: 'info' } } },
      { layer: 'deployment', from: 'shop', document: { port: 8080 } },
      { layer: 'own data', from: 'web@n1', document: { log: { level: 'debug' } } },
    ]);
    expect(explained).toEqual([
      {
        path: ['port'],
        value: 8080,
        layer: 'deployment',
        from: 'shop',
        covers: [{ layer: 'role default', from: 'web', value: 80 }],
      },
      {
        path: ['log', 'level'],
        value: 'debug',
        layer: 'own data',
        from: 'web@n1',
        covers: [{ layer: 'role default', from: 'web', value: 'info' }],
      },
    ]);
  });

  test('a value looked up alone is the one in the merged document', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(layers, path, (list, at) => {
        expect(canonicalJson(valueAt(list, at))).toBe(canonicalJson(pick(mergeLayers(list), at)));
        expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('provenance tells the truth: the deciding layer really holds the value shown', () => {
    fc.assert(
      fc.property(layers, (list) => {
        const merged = mergeLayers(list);
        for (const { path, value, layer: name } of explainLayers(list)) {
          expect(canonicalJson(pick(merged, path))).toBe(canonicalJson(value));
          const holders = list.filter((candidate) => pick(candidate.document, path) !== undefined);
          expect(holders.at(-1)?.layer).toBe(name);
        }
      }),
    );
  });
});

describe('input hash', () => {
  const catalogue = makeCatalogue(
    [{ name: 'web', wants: ['domain', 'load'] }],
    [
      makeAttrib({ name: 'port', role: 'web' }),
      makeAttrib({ name: 'domain', path: ['dns', 'domain'], role: 'dns' }),
      makeAttrib({ name: 'load', volatile: true }),
    ],
  );
  const role = catalogue.byName.get('web');
  if (role === undefined) throw new Error('no role');
  const declared = declaredInputs(catalogue, role);
  const hash = (list: readonly Layer[]) =>
    inputHash({ declared, destructive: false }, list, digest);
  const base = [layer('deployment', { port: 80 })];

  test('covers own attributes and wanted ones', () => {
    expect(hash([...base, layer('own data', { port: 81 })])).not.toBe(hash(base));
    expect(hash([...base, layer('ancestor wall', { dns: { domain: 'x' } })])).not.toBe(hash(base));
  });

  test('not the own wall, not volatile facts, not what is not declared', () => {
    expect(hash([...base, layer('own wall', { port: 99 })])).toBe(hash(base));
    expect(hash([...base, layer('discovery', { load: 0.7 })])).toBe(hash(base));
    expect(hash([...base, layer('deployment', { other: 1 })])).toBe(hash(base));
  });

  test('is the same for the same values whatever the order of keys and layers that say nothing', () => {
    const shuffled = (value: JsonValue): JsonValue =>
      Array.isArray(value)
        ? value.map(shuffled)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, inner]) => [key, shuffled(inner)]),
            )
          : value;
    fc.assert(
      fc.property(json, (value) => {
        expect(hash([layer('own data', { port: shuffled(value) })])).toBe(
          hash([layer('hint', {}), layer('own data', { port: value })]),
        );
      }),
    );
  });

  test('of a destructive role tells whether facts alone moved, which is no drift', () => {
    const fact = makeAttrib({ name: 'disks' });
    const made = (list: readonly Layer[]) =>
      inputHash({ declared: [...declared, fact], destructive: true }, list, digest);
    const before = made([layer('discovery', { disks: 'empty' }), ...base]);
    const after = made([layer('discovery', { disks: 'full' }), ...base]);
    const changed = made([layer('discovery', { disks: 'empty' }), layer('own data', { port: 81 })]);
    expect(after).not.toBe(before);
    expect(inputsHold(before, after)).toBe(true);
    expect(inputsHold(before, changed)).toBe(false);
    expect(inputsHold(hash(base), hash([layer('own data', { port: 81 })]))).toBe(false);
  });

  test('differs for values that differ', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(canonicalJson(a) !== canonicalJson(b));
        expect(hash([layer('own data', { port: a })])).not.toBe(
          hash([layer('own data', { port: b })]),
        );
      }),
    );
  });
});

describe('secrets', () => {
  test('stand as references in what is frozen, and are named', () => {
    const inputs = inputsOf(
      { declared: [], destructive: false },
      [layer('own data', { db: { password: { $secret: 'db' } }, list: [{ $secret: 'b' }] })],
      digest,
    );
    expect(inputs.secrets).toEqual(['b', 'db']);
    expect(JSON.stringify(inputs.attribs)).toContain('$secret');
    expect(revealSecrets(inputs.attribs, (name) => `!${name}`)).toEqual({
      db: { password: '!db' },
      list: ['!b'],
    });
    expect(secretNames({ a: 1 })).toEqual([]);
  });

  test('a plain value of a secret attribute is never shown', () => {
    const attrib = makeAttrib({ name: 'key', secret: true });
    expect(maskDocument({ key: 'hunter2', other: 1 }, [attrib])).toEqual({ key: MASK, other: 1 });
    expect(maskDocument({ key: { $secret: 'k' } }, [attrib])).toEqual({ key: { $secret: 'k' } });
  });
});

describe('data is checked at each write', () => {
  const attribs = [
    makeAttrib({
      name: 'port',
      role: 'web',
      schema: { type: 'integer', minimum: 1, maximum: 65535 },
    }),
    makeAttrib({
      name: 'tls',
      role: 'web',
      path: ['tls', 'mode'],
      schema: { enum: ['on', 'off'] },
    }),
    makeAttrib({ name: 'key', role: 'web', secret: true }),
    makeAttrib({ name: 'options', role: 'web', schema: { type: 'object' } }),
  ];
  const check = (data: JsonObject) => checkData({ data, attribs, owner: 'role web' });

  test('data that fits what is declared is not refused', () => {
    expect(
      check({
        port: 80,
        tls: { mode: 'on' },
        key: { $secret: 'k' },
        options: { any: { thing: 1 } },
      }),
    ).toEqual([]);
  });

  test('every fault is told at once, with its field', () => {
    const refusals = check({
      port: 70000,
      tls: { mode: 'maybe' },
      key: 'plain',
      prot: 1,
      tls2: { mode: 'on' },
    });
    expect(refusals.map((refusal) => `${refusal.code} ${refusal.path}`).sort()).toEqual([
      'schema data.port',
      'schema data.tls.mode',
      'secret_in_plain data.key',
      'undeclared data.prot',
      'undeclared data.tls2',
    ]);
    expect(refusals.find((refusal) => refusal.path === 'data.tls.mode')?.message).toMatch(
      /on, off/,
    );
    expect(refusals.find((refusal) => refusal.path === 'data.prot')?.message).toMatch(
      /it has port/,
    );
  });

  test('a plain secret is not repeated in the refusal', () => {
    expect(JSON.stringify(check({ key: 'hunter2' }))).not.toContain('hunter2');
  });
});
