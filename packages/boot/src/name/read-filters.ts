/** The name filters as `renderNames` takes them, lowest priority number first. */
import type { Db, Tx } from '@hostwright/engine';
import type { NameFilter } from './render-names.ts';

export interface NameFilterRow extends NameFilter {
  readonly id: number;
}

export const readNameFilters = async (db: Db | Tx): Promise<readonly NameFilterRow[]> => {
  const rows = await db.selectFrom('name_filter').selectAll().orderBy('priority').execute();
  return rows.map(({ id, name, priority, matcher, template }) => ({
    id,
    name,
    priority,
    template,
    matcher:
      typeof matcher === 'object' && matcher !== null
        ? Object.fromEntries(Object.entries(matcher).map(([key, value]) => [key, String(value)]))
        : {},
  }));
};
