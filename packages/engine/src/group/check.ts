/** What a group may be called and say of itself. */
import type { Refusal } from '@hostwright/core';
import { checkName } from '../db/unique-name.ts';
import type { GroupRecord } from './find.ts';

export interface GroupFields {
  readonly name: string;
  readonly category?: string | undefined;
  readonly description?: string | undefined;
}

export type SavedGroup =
  | { readonly ok: true; readonly group: GroupRecord }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export const checkGroup = (fields: GroupFields): Refusal[] => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  return [
    ...checkName(fields.name),
    ...(fields.category === undefined || /^[a-z][a-z0-9-]{0,63}$/.test(fields.category)
      ? []
      : [refuse('category', 'a category is one lower-case word')]),
    ...((fields.description ?? '').length <= 4096
      ? []
      : [refuse('description', 'a description has at most 4096 characters')]),
  ];
};
