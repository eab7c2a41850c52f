import { defineOperation } from '../operation.ts';
import { network, networkParams, newRouter } from './network.ts';

const params = networkParams.extend({ address: newRouter.shape.address });

export const network_router_put = defineOperation({
  id: 'network_router_put',
  method: 'PUT',
  path: '/networks/:network/routers/:address',
  summary: 'Set a router; one per network and family, a new address replaces the old',
  access: 'operator',
  params,
  body: newRouter.omit({ address: true }).optional(),
  answer: network,
  ifMatch: true,
});

export const network_router_delete = defineOperation({
  id: 'network_router_delete',
  method: 'DELETE',
  path: '/networks/:network/routers/:address',
  summary: 'Take a router away',
  access: 'operator',
  params,
  status: 204,
  ifMatch: true,
});
