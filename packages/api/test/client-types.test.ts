import { createClient, urlOf } from '@hostwright/api';
import { noderole_get } from '@hostwright/api/nouns/noderole';
import { node_create, node_get, node_list } from '@hostwright/api/nouns/node';
import { expect, expectTypeOf, test } from 'vitest';

const client = createClient({ url: 'http://127.0.0.1:1' });

test('the types of a call follow the operation', () => {
  const calls = {
    get: () => client.call(node_get, { params: { node: 'n1' } }),
    list: () => client.call(node_list),
    create: () => client.call(node_create, { body: { name: 'n1' } }),
    // @ts-expect-error a required parameter may not be left out
    bad: () => client.call(node_get),
    // @ts-expect-error nor a required field of the body
    worse: () => client.call(node_create, { body: {} }),
  };
  expectTypeOf(calls.get).returns.resolves.toHaveProperty('discovery');
  expectTypeOf<Awaited<ReturnType<typeof calls.list>>['items'][number]['name']>().toBeString();
});

test('parameters and queries cannot break out of their place in the URL', () => {
  expect(urlOf(node_get, { params: { node: '../users?x=1' } })).toBe(
    '/api/v2/nodes/..%2Fusers%3Fx%3D1',
  );
  expect(urlOf(noderole_get, { params: { noderole: 7 } })).toBe('/api/v2/noderoles/7');
  expect(
    urlOf(node_list, { query: { label: ['rack=a,b', 'x'], alive: true, limit: undefined } }),
  ).toBe('/api/v2/nodes?label=rack%3Da%2Cb&label=x&alive=true');
});
