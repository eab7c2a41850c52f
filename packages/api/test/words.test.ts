/** The contract is imported without the domain, for the sake of clients' weight, so it repeats these lists. */
import { ROLLUPS } from '@hostwright/api/nouns/node';
import { ROLE_FLAGS } from '@hostwright/api/nouns/role';
import { ROLE_FLAGS as CORE_FLAGS } from '@hostwright/core';
import { NODE_ROLLUPS } from '@hostwright/engine';
import { expect, test } from 'vitest';

test('the contract knows every flag a role can have, and no other', () => {
  expect(ROLE_FLAGS).toEqual(CORE_FLAGS);
});

test('the contract knows every roll-up a node can have, in the order the fleet is sent in', () => {
  expect(ROLLUPS).toEqual(NODE_ROLLUPS);
});
