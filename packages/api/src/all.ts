/** Every operation there is. The server registers these; tests walk them. Heavy: clients import single nouns. */
import * as allocation from './nouns/allocation.ts';
import * as annealer from './nouns/annealer.ts';
import * as audit from './nouns/audit.ts';
import * as barclamp from './nouns/barclamp.ts';
import * as boot from './nouns/boot.ts';
import * as bootFile from './nouns/boot-file.ts';
import * as deployment from './nouns/deployment.ts';
import * as deploymentData from './nouns/deployment-data.ts';
import * as deploymentExplain from './nouns/deployment-explain.ts';
import * as deploymentGraph from './nouns/deployment-graph.ts';
import * as deploymentHistory from './nouns/deployment-history.ts';
import * as deploymentMatrix from './nouns/deployment-matrix.ts';
import * as event from './nouns/event.ts';
import * as fleet from './nouns/fleet.ts';
import * as group from './nouns/group.ts';
import * as hammer from './nouns/hammer.ts';
import * as jig from './nouns/jig.ts';
import * as nameFilter from './nouns/name-filter.ts';
import * as network from './nouns/network.ts';
import * as networkMatrix from './nouns/network-matrix.ts';
import * as networkRange from './nouns/network-range.ts';
import * as networkRouter from './nouns/network-router.ts';
import * as node from './nouns/node.ts';
import * as nodeAction from './nouns/node-action.ts';
import * as nodeBulk from './nouns/node-bulk.ts';
import * as nodeExplain from './nouns/node-explain.ts';
import * as nodeLabel from './nouns/node-label.ts';
import * as nodeLife from './nouns/node-life.ts';
import * as nodeOffer from './nouns/node-offer.ts';
import * as noderole from './nouns/noderole.ts';
import * as os from './nouns/os.ts';
import * as role from './nouns/role.ts';
import * as run from './nouns/run.ts';
import * as secret from './nouns/secret.ts';
import * as session from './nouns/session.ts';
import * as setting from './nouns/setting.ts';
import * as snapshot from './nouns/snapshot.ts';
import * as snapshotCommit from './nouns/snapshot-commit.ts';
import * as snapshotEdit from './nouns/snapshot-edit.ts';
import * as snapshotPlan from './nouns/snapshot-plan.ts';
import * as system from './nouns/system.ts';
import * as token from './nouns/token.ts';
import * as user from './nouns/user.ts';
import * as webhook from './nouns/webhook.ts';
import { z } from 'zod';
import type { OperationShape } from './operation.ts';

const isOperation = (value: unknown): value is OperationShape =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'method' in value &&
  'path' in value;

const NOUNS = [
  allocation,
  annealer,
  audit,
  barclamp,
  boot,
  bootFile,
  deployment,
  deploymentData,
  deploymentExplain,
  deploymentGraph,
  deploymentHistory,
  deploymentMatrix,
  event,
  fleet,
  group,
  hammer,
  jig,
  nameFilter,
  network,
  networkMatrix,
  networkRange,
  networkRouter,
  node,
  nodeAction,
  nodeBulk,
  nodeExplain,
  nodeLabel,
  nodeLife,
  nodeOffer,
  noderole,
  os,
  role,
  run,
  secret,
  session,
  setting,
  snapshot,
  snapshotCommit,
  snapshotEdit,
  snapshotPlan,
  system,
  token,
  user,
  webhook,
];

export const OPERATIONS: readonly OperationShape[] = NOUNS.flatMap((noun) =>
  Object.values(noun).filter((value) => isOperation(value)),
);

/** Objects that have a name of their own, for documents. */
export const OBJECTS: ReadonlyMap<z.ZodType, string> = new Map(
  NOUNS.flatMap((noun) =>
    Object.entries(noun).flatMap(([name, value]): [z.ZodType, string][] =>
      value instanceof z.ZodObject ? [[value, name]] : [],
    ),
  ),
);
