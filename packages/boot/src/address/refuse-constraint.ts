/** What the database refused about networks and addresses, as reasons that name the field. Anything else is thrown on. */
import type { Refusal } from '@hostwright/core';

const KNOWN: Readonly<Record<string, Refusal>> = {
  network_name_taken: { code: 'name_taken', path: 'name', message: 'a network has this name' },
  network_range_name_taken: {
    code: 'name_taken',
    path: 'ranges',
    message: 'the network has a range of this name',
  },
  network_range_no_overlap: {
    code: 'conflict',
    path: 'ranges',
    message: 'a range overlaps one of another network that was made meanwhile',
  },
  router_one_per_family: {
    code: 'conflict',
    path: 'routers',
    message: 'a network has one router per family',
  },
  allocation_address_taken: {
    code: 'conflict',
    path: 'address',
    message: 'the address is taken',
  },
  allocation_inside_range: {
    code: 'bad_input',
    path: 'address',
    message: 'the address lies outside the range',
  },
};

export const refusalOf = (error: unknown): Refusal => {
  const name =
    error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
      ? error.constraint
      : '';
  const refusal = KNOWN[name];
  if (refusal === undefined) throw error;
  return refusal;
};
