/** What was refused of a form: each reason stands at the field that its path ends with. */
import type { ProblemError } from '@hostwright/api';
import { createContext, use } from 'react';

export type Refusal = ProblemError['refusals'][number];

export const RefusedContext = createContext<readonly Refusal[]>([]);

export const fieldOf = (refusal: Refusal): string => refusal.path.split('/').at(-1) ?? '';

/** Why the field of this name was refused, if it was. */
export const useRefused = (name: string | undefined): string | undefined => {
  const reasons = use(RefusedContext).filter((refusal) => fieldOf(refusal) === name);
  return reasons.length === 0 ? undefined : reasons.map(({ message }) => message).join('; ');
};
