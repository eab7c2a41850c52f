/** Refusals of the engine as one error: the most telling code, and every reason. */
import { ERRORS, HostwrightError, type ErrorCode, type Refusal } from '@hostwright/core';

/** What is not there, among the reasons of a refusal. */
const MISSING = new Set(['not_found', 'unknown_role', 'unknown_node']);

const isCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

export const refuse = (refusals: readonly Refusal[], code?: ErrorCode): HostwrightError => {
  const codes = new Set(refusals.map((refusal) => refusal.code));
  const [only] = codes;
  const chosen =
    code ??
    (codes.size > 0 && codes.isSubsetOf(MISSING)
      ? 'not_found'
      : codes.size === 1 && only !== undefined && isCode(only)
        ? only
        : 'refused');
  return new HostwrightError(chosen, {
    message:
      refusals
        .map((refusal) => refusal.message)
        .slice(0, 3)
        .join('; ') || ERRORS[chosen].text,
    refusals,
  });
};
