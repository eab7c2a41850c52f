import { sql, type RawBuilder } from 'kysely';

/** Callers name an object by id or by name; a name never consists of digits only. */
export type IdOrName =
  | { readonly id: number; readonly name?: undefined }
  | { readonly id?: undefined; readonly name: string };

/** Longer than any id, and still exact as a number. */
const ID = /^[0-9]{1,15}$/;

export const findIdOrName = (given: string | number): IdOrName => {
  const text = String(given);
  return ID.test(text) ? { id: Number(text) } : { name: text };
};

/** The same as a condition on a table that has both columns. */
export const whereIdOrName = (table: string, given: string | number): RawBuilder<boolean> => {
  const ref = findIdOrName(given);
  return ref.id === undefined
    ? sql<boolean>`${sql.ref(`${table}.name`)} = ${ref.name}`
    : sql<boolean>`${sql.ref(`${table}.id`)} = ${ref.id}`;
};
