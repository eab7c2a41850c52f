import { defineOperation } from '../operation.ts';
import { ref } from '../schema.ts';
import { network, networkParams, newNetworkRange } from './network.ts';

const params = networkParams.extend({ range: ref });

export const network_range_create = defineOperation({
  id: 'network_range_create',
  method: 'POST',
  path: '/networks/:network/ranges',
  summary: 'Add a range',
  access: 'operator',
  params: networkParams,
  body: newNetworkRange,
  answer: network,
  status: 201,
  ifMatch: true,
});

export const network_range_patch = defineOperation({
  id: 'network_range_patch',
  method: 'PATCH',
  path: '/networks/:network/ranges/:range',
  summary: 'Change a range; refused if an address in use would fall outside',
  access: 'operator',
  params,
  body: newNetworkRange.partial(),
  answer: network,
  ifMatch: true,
});

export const network_range_delete = defineOperation({
  id: 'network_range_delete',
  method: 'DELETE',
  path: '/networks/:network/ranges/:range',
  summary: 'Take a range away; refused while addresses of it are held or reserved',
  access: 'operator',
  params,
  status: 204,
  ifMatch: true,
});
