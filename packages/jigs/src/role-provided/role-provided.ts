/**
 * Carries a role out by a function that its barclamp brings along (`transitions` in hooks.ts). A
 * function that waits is called again with the evidence, and finds in the memo what it left there.
 */
import type { Evidence, Jig, Outcome, RunHandle } from '@hostwright/engine';

export type Transition = (handle: RunHandle, evidence?: Evidence) => Promise<Outcome>;

export interface RoleProvidedOptions {
  readonly find: (barclamp: string, role: string) => Promise<Transition | undefined>;
}

export const createRoleProvidedJig = ({ find }: RoleProvidedOptions): Jig => {
  const carryOut = async (handle: RunHandle, evidence?: Evidence): Promise<Outcome> => {
    const transition = await find(handle.role.barclamp, handle.role.name);
    if (transition === undefined)
      return {
        kind: 'failed',
        reason: `barclamp ${handle.role.barclamp} has no transition for role ${handle.role.name}`,
        retryable: false,
        blame: 'content',
      };
    return transition(handle, evidence);
  };
  return {
    name: 'role-provided',
    description: 'runs a function of the role’s own barclamp',
    run: (handle) => carryOut(handle),
    resume: carryOut,
  };
};
