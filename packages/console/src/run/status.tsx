import type { RunStatus } from '@hostwright/core/run/status';
import { StateMark, type Look } from '../ui/state.tsx';

const LOOK: Readonly<Record<RunStatus, Look>> = {
  queued: 'todo',
  running: 'transition',
  waiting: 'blocked',
  cancelling: 'transition',
  succeeded: 'active',
  failed: 'error',
  cancelled: 'down',
  fenced: 'down',
};

const MEANING: Readonly<Record<RunStatus, string>> = {
  queued: 'waits for its lane',
  running: 'a worker is at it',
  waiting: 'waits for evidence: a reboot, an installer, an agent',
  cancelling: 'is being stopped',
  succeeded: 'done',
  failed: 'ended with an error',
  cancelled: 'stopped by a person',
  fenced: 'lost its node or worker; what it still reports is ignored',
};

export const Status = ({ status }: { readonly status: RunStatus }) => (
  <span className="state" data-state={LOOK[status]} title={MEANING[status]}>
    <StateMark look={LOOK[status]} />
    {status.slice(0, 1).toUpperCase() + status.slice(1)}
  </span>
);
