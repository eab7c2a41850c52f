/** `?fields=a,b`: only these of each item; the id always stays, so that items can be told apart. */
import { HostwrightError } from '@hostwright/core';

export const chooseFields = <Item extends object>(
  items: readonly Item[],
  fields: readonly string[] | undefined,
  /** Fields an item may have although these do not. */
  more: readonly string[] = [],
): Item[] => {
  const first = items[0];
  if (fields === undefined || first === undefined) return [...items];
  const unknown = fields.filter((field) => !(field in first) && !more.includes(field));
  if (unknown.length > 0)
    throw new HostwrightError('bad_input', {
      refusals: unknown.map((field) => ({
        code: 'unknown_field',
        path: 'query/fields',
        message: `there is no field ${field}`,
      })),
    });
  const wanted = new Set(['id', ...fields]);
  // the contract says that a choice of fields leaves the others out
  return items.map(
    (item) => Object.fromEntries(Object.entries(item).filter(([key]) => wanted.has(key))) as Item,
  );
};
