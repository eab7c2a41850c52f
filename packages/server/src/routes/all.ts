/** Every route of the API. A test proves that each operation of the contract has one. */
import type { Route } from '../http/route.ts';
import { allocationRoutes } from './allocation.ts';
import { annealerRoutes } from './annealer.ts';
import { auditRoutes } from './audit.ts';
import { bootRoutes } from './boot.ts';
import { bootFileRoutes } from './boot-file.ts';
import { deploymentRoutes } from './deployment.ts';
import { eventRoutes } from './event.ts';
import { fleetRoutes } from './fleet.ts';
import { groupRoutes } from './group.ts';
import { jigRoutes } from './jig.ts';
import { nameFilterRoutes } from './name-filter.ts';
import { networkRoutes } from './network.ts';
import { nodeActionRoutes } from './node-action.ts';
import { nodeBulkRoutes } from './node-bulk.ts';
import { nodeLifeRoutes } from './node-life.ts';
import { nodeRoutes } from './node.ts';
import { noderoleRoutes } from './noderole.ts';
import { osRoutes } from './os.ts';
import { roleRoutes } from './role.ts';
import { runRoutes } from './run.ts';
import { secretRoutes } from './secret.ts';
import { sessionRoutes } from './session.ts';
import { settingRoutes } from './setting.ts';
import { snapshotRoutes } from './snapshot.ts';
import { systemRoutes } from './system.ts';
import { tokenRoutes } from './token.ts';
import { userRoutes } from './user.ts';
import { webhookRoutes } from './webhook.ts';

export const allRoutes = (): Route[] => [
  ...allocationRoutes(),
  ...annealerRoutes(),
  ...auditRoutes(),
  ...bootRoutes(),
  ...bootFileRoutes(),
  ...deploymentRoutes(),
  ...eventRoutes(),
  ...fleetRoutes(),
  ...groupRoutes(),
  ...jigRoutes(),
  ...nameFilterRoutes(),
  ...networkRoutes(),
  ...nodeActionRoutes(),
  ...nodeBulkRoutes(),
  ...nodeLifeRoutes(),
  ...nodeRoutes(),
  ...noderoleRoutes(),
  ...osRoutes(),
  ...roleRoutes(),
  ...runRoutes(),
  ...secretRoutes(),
  ...sessionRoutes(),
  ...settingRoutes(),
  ...snapshotRoutes(),
  ...systemRoutes(),
  ...tokenRoutes(),
  ...userRoutes(),
  ...webhookRoutes(),
];
