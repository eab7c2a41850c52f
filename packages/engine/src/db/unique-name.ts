/** Names that people give and that are unique in their table: how they look, and what becomes of one that is taken. */
import type { Refusal } from '@hostwright/core';
import { sqlState } from './transaction.ts';

export const checkName = (name: string): Refusal[] =>
  /^[a-z][a-z0-9._-]{0,127}$/.test(name)
    ? []
    : [
        {
          code: 'bad_input',
          path: 'name',
          message: 'a name begins with a lower-case letter and has letters, digits and . _ -',
        },
      ];

/** The unique index decides, whoever came first; to the other it is a refusal. */
export const refuseTaken = async <Saved>(
  what: { readonly kind: string; readonly name: string | undefined },
  save: () => Promise<Saved>,
): Promise<Saved | { readonly ok: false; readonly refusals: readonly Refusal[] }> => {
  try {
    return await save();
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    const message = `there is already a ${what.kind} ${what.name ?? ''}`;
    return { ok: false, refusals: [{ code: 'name_taken', path: 'name', message }] };
  }
};
