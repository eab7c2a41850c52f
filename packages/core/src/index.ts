export {
  ERRORS,
  HostwrightError,
  type ErrorCode,
  type ErrorDetail,
  type Refusal,
} from './errors.ts';
export type { JsonObject, JsonValue } from './json.ts';
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
  LIVE_RUN,
  RUN_KINDS,
  RUN_STATUSES,
  type Lane,
  type RunKind,
  type RunStatus,
} from './run/status.ts';
