/** Every route of the API. A test proves that each operation of the contract has one. */
import type { Route } from '../http/route.ts';
import { deploymentRoutes } from './deployment.ts';
import { eventRoutes } from './event.ts';
import { nodeRoutes } from './node.ts';
import { sessionRoutes } from './session.ts';
import { systemRoutes } from './system.ts';

export const allRoutes = (): Route[] => [
  ...deploymentRoutes(),
  ...eventRoutes(),
  ...nodeRoutes(),
  ...sessionRoutes(),
  ...systemRoutes(),
];
