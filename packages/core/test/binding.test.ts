import { settle, type Settled } from '@hostwright/core';
import { describe, expect, test } from 'vitest';
import {
  makeBoard,
  makeCatalogue,
  nameOf,
  request,
  type BoardText,
  type RoleText,
} from './fixture.ts';

const bind = (roles: readonly RoleText[], pairs: readonly string[], board: BoardText = {}) => {
  const made = makeBoard(makeCatalogue(roles), board);
  const settled = settle(
    made,
    pairs.map((pair) => request(made, pair)),
  );
  const parents = Object.fromEntries(
    [...settled.parents].map(([child, list]) => [
      nameOf(made, child),
      list.map((parent) => `${nameOf(made, parent)}:${parent.deploymentId}`),
    ]),
  );
  const pulledIn = settled.pulledIn.map(({ bound }) => nameOf(made, bound));
  return { settled, parents, pulledIn, codes: codesOf(settled) };
};
const codesOf = (settled: Settled): string[] => settled.refusals.map((refusal) => refusal.code);

describe('where a required role is found', () => {
  test('an implicit one is bound on the same node, whoever else has it', () => {
    const { parents, pulledIn, settled } = bind(
      [
        { name: 'base', flags: ['implicit'] },
        { name: 'web', requires: ['base'] },
      ],
      ['web@n2'],
      { bound: ['base@n1', 'base@n3:2'] },
    );
    expect(parents['web@n2']).toEqual(['base@n2:3']);
    expect(pulledIn).toEqual(['base@n2']);
    expect(settled.pulledIn[0]?.reason).toBe('web@n2 requires base, on the same node');
  });

  test('on the same node first, then in the nearest deployment up the tree', () => {
    const roles = [{ name: 'dns' }, { name: 'web', requires: ['dns'] }];
    expect(bind(roles, ['web@n1'], { bound: ['dns@n1', 'dns@n2'] }).parents['web@n1']).toEqual([
      'dns@n1:3',
    ]);
    expect(bind(roles, ['web@n1'], { bound: ['dns@n2', 'dns@n3:2'] }).parents['web@n1']).toEqual([
      'dns@n2:3',
    ]);
    expect(bind(roles, ['web@n1'], { bound: ['dns@n2:1', 'dns@n3:2'] }).parents['web@n1']).toEqual([
      'dns@n3:2',
    ]);
    expect(bind(roles, ['web@n1'], { bound: ['dns@n2:1'] }).parents['web@n1']).toEqual([
      'dns@n2:1',
    ]);
  });

  test('nowhere: bound on this node, with the reason', () => {
    const { pulledIn, settled } = bind(
      [{ name: 'dns' }, { name: 'web', requires: ['dns'] }],
      ['web@n1'],
    );
    expect(pulledIn).toEqual(['dns@n1']);
    expect(settled.pulledIn[0]?.reason).toMatch(/none up the deployment tree/);
  });

  test('one pulled in for the first node serves the next ones', () => {
    const { parents, pulledIn } = bind(
      [{ name: 'dns' }, { name: 'web', requires: ['dns'] }],
      ['web@n3', 'web@n1', 'web@n2'],
    );
    expect(pulledIn).toEqual(['dns@n1']);
    expect(parents['web@n3']).toEqual(['dns@n1:3']);
  });

  test('of many the oldest node is taken, so that new machines move nothing', () => {
    const roles = [{ name: 'dns' }, { name: 'web', requires: ['dns'] }];
    const { parents } = bind(roles, ['web@n3'], { bound: ['dns@n2', 'dns@n1'] });
    expect(parents['web@n3']).toEqual(['dns@n1:3']);
  });

  test('the owner of a wanted attribute is required too', async () => {
    const { buildCatalogue, createBoard } = await import('@hostwright/core');
    const { makeAttrib, makeRole, makeNodes } = await import('./fixture.ts');
    const catalogue = buildCatalogue({
      roles: [makeRole({ name: 'dns' }, 1), makeRole({ name: 'web', wants: ['dns-domain'] }, 2)],
      attribs: [makeAttrib({ name: 'dns-domain', role: 'dns' })],
      jigs: ['noop'],
    });
    const board = createBoard({
      catalogue,
      chain: [{ id: 3, name: 'shop' }],
      nodes: makeNodes({ nodes: [{ name: 'n1', deploymentId: 3 }] }),
      bound: [],
    });
    const settled = settle(board, [{ roleId: 2, nodeId: 1 }]);
    expect(settled.pulledIn.map(({ bound }) => nameOf(board, bound))).toEqual(['dns@n1']);
    expect(settled.refusals).toEqual([]);
  });
});

describe('provides, abstract, cluster, service', () => {
  test('what is provided fulfils; the role of that very name goes first', () => {
    const roles = [
      { name: 'nginx', provides: ['http'] },
      { name: 'app', requires: ['http'] },
    ];
    expect(bind(roles, ['app@n1'], { bound: ['nginx@n1'] }).parents['app@n1']).toEqual([
      'nginx@n1:3',
    ]);
    expect(bind(roles, ['app@n1']).pulledIn).toEqual(['nginx@n1']);
  });

  test('several could provide it: refused with the choices, never guessed', () => {
    const roles: RoleText[] = [
      { name: 'http', flags: ['abstract'] },
      { name: 'nginx', provides: ['http'] },
      { name: 'apache', provides: ['http'] },
      { name: 'app', requires: ['http'] },
    ];
    const { settled, codes } = bind(roles, ['app@n1']);
    expect(codes).toEqual(['ambiguous']);
    expect(settled.refusals[0]?.message).toMatch(/apache and nginx provide/);
    expect(bind(roles, ['app@n1', 'nginx@n1']).codes).toEqual([]);
  });

  test('an abstract role itself is refused, naming who provides it', () => {
    const { settled } = bind(
      [
        { name: 'http', flags: ['abstract'] },
        { name: 'nginx', provides: ['http'] },
      ],
      ['http@n1'],
    );
    expect(settled.refusals).toEqual([
      expect.objectContaining({ code: 'role_abstract', message: expect.stringMatching(/nginx/) }),
    ]);
  });

  test('children of one cluster member are children of all members there', () => {
    const roles: RoleText[] = [
      { name: 'etcd', flags: ['cluster'] },
      { name: 'api', requires: ['etcd'] },
    ];
    const { parents } = bind(roles, ['api@n1'], { bound: ['etcd@n1', 'etcd@n2', 'etcd@n3:2'] });
    expect(parents['api@n1']).toEqual(['etcd@n1:3', 'etcd@n2:3']);
  });

  test('one instance of a service serves a deployment; a cluster may have more', () => {
    const roles: RoleText[] = [
      { name: 'ntp', flags: ['service'] },
      { name: 'db', flags: ['service', 'cluster'] },
    ];
    expect(bind(roles, ['ntp@n2'], { bound: ['ntp@n1'] }).codes).toEqual(['service_taken']);
    expect(bind(roles, ['ntp@n2'], { bound: ['ntp@n1:2'] }).codes).toEqual([]);
    expect(bind(roles, ['db@n1', 'db@n2']).codes).toEqual([]);
  });

  test('a role may need from above what it provides itself', () => {
    const roles: RoleText[] = [{ name: 'cache', provides: ['mirror'], requires: ['mirror'] }];
    const { parents, codes } = bind(roles, ['cache@n1'], { bound: ['cache@n3:1'] });
    expect(codes).toEqual([]);
    expect(parents['cache@n1']).toEqual(['cache@n3:1']);
  });
});

describe('refusals', () => {
  test('every reason at once, over all requests', () => {
    const { codes } = bind(
      [
        { name: 'gone', removed: true },
        { name: 'odd', jig: 'chef' },
        { name: 'lost', requires: ['nowhere'] },
        { name: 'web' },
        { name: 'shy', conflicts: ['web'] },
      ],
      ['gone@n1', 'odd@n1', 'lost@n1', 'shy@n1', 'web@n1'],
    );
    expect(codes.sort()).toEqual(['conflict', 'jig_missing', 'role_removed', 'unresolved']);
  });

  test('an unresolved requirement names the whole chain', () => {
    const { settled } = bind(
      [
        { name: 'a', requires: ['b'] },
        { name: 'b', requires: ['c'] },
      ],
      ['a@n1'],
    );
    expect(settled.refusals[0]?.message).toMatch(/a -> b -> c/);
  });

  test('conflicts count both ways, and against what is provided', () => {
    const roles: RoleText[] = [
      { name: 'a', conflicts: ['b'] },
      { name: 'b' },
      { name: 'c', provides: ['b'] },
    ];
    expect(bind(roles, ['a@n1'], { bound: ['b@n1'] }).codes).toEqual(['conflict']);
    expect(bind(roles, ['b@n1'], { bound: ['a@n1'] }).codes).toEqual(['conflict']);
    expect(bind(roles, ['c@n1'], { bound: ['a@n1:2'] }).codes).toEqual(['conflict']);
    expect(bind(roles, ['a@n1'], { bound: ['b@n2'] }).codes).toEqual([]);
  });

  test('two roles that provide the same do not share a node', () => {
    const roles: RoleText[] = [
      { name: 'nginx', provides: ['http'] },
      { name: 'apache', provides: ['http'] },
    ];
    expect(bind(roles, ['nginx@n1'], { bound: ['apache@n1'] }).codes).toEqual(['provides_clash']);
  });

  test('a role is bound at most once per node, whatever the deployment', () => {
    expect(bind([{ name: 'web' }], ['web@n1'], { bound: ['web@n1:2'] }).codes).toEqual([
      'bound_elsewhere',
    ]);
    const again = bind([{ name: 'web' }], ['web@n1'], { bound: ['web@n1'] });
    expect(again.settled).toMatchObject({ added: [], refusals: [] });
  });

  test('the admin node refuses workload and takes what keeps Hostwright going', () => {
    const board: BoardText = { nodes: [{ name: 'n1', admin: true }] };
    const roles: RoleText[] = [
      { name: 'web' },
      { name: 'boot', flags: ['bootstrap'], requires: ['tools'] },
      { name: 'dhcp', flags: ['service'] },
      { name: 'dhcp-data', lane: 'service' },
      { name: 'tools', flags: ['implicit'] },
    ];
    expect(bind(roles, ['web@n1'], board).codes).toEqual(['admin_node']);
    expect(bind(roles, ['boot@n1', 'dhcp@n1', 'dhcp-data@n1'], board)).toMatchObject({
      codes: [],
      pulledIn: ['tools@n1'],
    });
  });

  test('a node of another branch of the tree is refused, one from above or below taken', () => {
    const at = (deploymentId: number): BoardText => ({
      nodes: [{ name: 'n1', deploymentId }],
      below: new Set([7]),
    });
    expect(bind([{ name: 'web' }], ['web@n1'], at(9)).codes).toEqual(['node_elsewhere']);
    expect(bind([{ name: 'web' }], ['web@n1'], at(7)).codes).toEqual([]);
    expect(bind([{ name: 'web' }], ['web@n1'], at(2)).codes).toEqual([]);
  });

  test('a role or node that is not there', () => {
    const made = makeBoard(makeCatalogue([{ name: 'web' }]));
    expect(codesOf(settle(made, [{ roleId: 99, nodeId: 1 }]))).toEqual(['unknown_role']);
    expect(codesOf(settle(made, [{ roleId: 1, nodeId: 99 }]))).toEqual(['unknown_node']);
  });
});
