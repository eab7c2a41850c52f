export {
  ERRORS,
  HostwrightError,
  type ErrorCode,
  type ErrorDetail,
  type Refusal,
} from './errors.ts';
export { quoteWord, sayConsent, sayDisk } from './command/quote.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { NODE_ROLLUPS, type NodeRollup } from './node/rollup.ts';
export { AT_REST, NODEROLE_STATES, type NoderoleState } from './noderole/state.ts';
export {
  legalPairs,
  transition,
  TRANSITIONS,
  type NoderoleEvent,
  type TransitionResult,
} from './noderole/transition.ts';
export {
  LANES,
  RUN_KINDS,
  RUN_STATUSES,
  type Lane,
  type RunKind,
  type RunStatus,
} from './run/status.ts';
export { canonicalJson, sameJson, type Digest } from './canonical-json.ts';
export {
  attribPath,
  parseManifest,
  type Manifest,
  type ManifestAttrib,
  type ManifestResult,
  type ManifestRole,
} from './barclamp/manifest.ts';
export { ROLE_FLAGS, type Attrib, type Role, type RoleFlag } from './role/role.ts';
export { buildCatalogue, type Catalogue, type CatalogueInput } from './role/catalogue.ts';
export { findRoleCycles, refuseRoleCycles, unresolvedNeeds } from './role/check-graph.ts';
export {
  createBoard,
  type Board,
  type BoardDeployment,
  type BoardInput,
  type BoardNode,
  type Bound,
  type Origin,
} from './binding/board.ts';
export { settle, type BindRequest, type PulledIn, type Settled } from './binding/bind.ts';
export { checkBinding, checkRole, isWorkload } from './binding/check-binding.ts';
export { findParents, type Found } from './binding/find-parents.ts';
export { buildGraph, MOST_EDGES, type Graph, type GraphItem } from './plan/graph.ts';
export {
  makePlan,
  type Disk,
  type Elsewhere,
  type PlanChange,
  type PlanDestructive,
  type PlanInput,
  type PlanItem,
  type PlanOutcome,
  type PlanResult,
  type Standing,
} from './plan/plan.ts';
export {
  hashReadSet,
  READ_KINDS,
  readKey,
  whatMoved,
  type Moved,
  type ReadKind,
  type ReadSet,
} from './plan/read-set.ts';
export { diffRows, type Difference, type DiffRow } from './plan/diff.ts';
export {
  explainLayers,
  LAYERS,
  merge,
  mergeLayers,
  valueAt,
  type Layer,
  type LayerName,
  type Provenance,
} from './attribs/layer.ts';
export { isObject, pick, put } from './attribs/path.ts';
export {
  declaredInputs,
  inputHash,
  inputsHold,
  inputsOf,
  type Inputs,
} from './attribs/input-hash.ts';
export { checkData, checkValue, type CheckDataInput } from './attribs/check-data.ts';
export {
  MASK,
  maskDocument,
  maskSecret,
  revealSecrets,
  secretName,
  secretNames,
} from './attribs/secret.ts';
export {
  CAUSE_KINDS,
  type Cause,
  type CauseKind,
  type Why,
  type WhyAnnealer,
  type WhyNode,
  type WhyNoderole,
  type WhyRollout,
  type WhyRun,
} from './why/facts.ts';
export { explainNoderole as decideWhyNoderole } from './why/explain-noderole.ts';
export {
  explainNode as decideWhyNode,
  type WhyNodeFacts,
  type WhyRelease,
} from './why/explain-node.ts';
