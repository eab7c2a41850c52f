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
