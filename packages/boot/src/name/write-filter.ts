/** Makes, changes and deletes name filters. A template that could never give a name is refused here, not found out by DNS. */
import { HostwrightError, type Refusal } from '@hostwright/core';
import type { Tx } from '@hostwright/engine';
import { NAME_FIELDS, type NameFilter } from './render-names.ts';

const checkNameFilter = (filter: NameFilter): readonly Refusal[] => {
  const refuse = (path: string, message: string): Refusal => ({ code: 'bad_input', path, message });
  const refusals: Refusal[] = [];
  for (const [, field = ''] of filter.template.matchAll(/\{\{\s*([^}]*?)\s*\}\}/g))
    if (!NAME_FIELDS.includes(field))
      refusals.push(
        refuse(
          'template',
          `there is no {{${field.slice(0, 64)}}}; there are ${NAME_FIELDS.join(', ')}`,
        ),
      );
  const bare = filter.template.replaceAll(/\{\{[^}]*\}\}/g, 'x');
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(bare))
    refusals.push(refuse('template', 'outside of {{…}} only letters, digits, dots and dashes'));
  for (const key of Object.keys(filter.matcher))
    if (key !== 'node.role' && !key.startsWith('node.label.') && !NAME_FIELDS.includes(key))
      refusals.push(refuse(`matcher/${key.slice(0, 64)}`, 'is nothing that can be matched'));
  return refusals;
};

export type SavedFilter =
  | { readonly ok: true; readonly filter: NameFilter & { readonly id: number } }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

export const putNameFilter = async (tx: Tx, filter: NameFilter): Promise<SavedFilter> => {
  const refusals = checkNameFilter(filter);
  if (refusals.length > 0) return { ok: false, refusals };
  const other = await tx
    .selectFrom('name_filter')
    .select('name')
    .where('priority', '=', filter.priority)
    .where('name', '<>', filter.name)
    .executeTakeFirst();
  if (other !== undefined)
    return {
      ok: false,
      refusals: [
        {
          code: 'name_taken',
          path: 'priority',
          message: `filter ${other.name} has the priority ${filter.priority}`,
        },
      ],
    };
  const values = {
    priority: filter.priority,
    matcher: JSON.stringify(filter.matcher),
    template: filter.template,
  };
  const { id } = await tx
    .insertInto('name_filter')
    .values({ name: filter.name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ok: true, filter: { id, ...filter } };
};

export const deleteNameFilter = async (tx: Tx, name: string): Promise<void> => {
  const gone = await tx.deleteFrom('name_filter').where('name', '=', name).executeTakeFirst();
  if (gone.numDeletedRows === 0n)
    throw new HostwrightError('not_found', { message: `there is no name filter ${name}` });
};
