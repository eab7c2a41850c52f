/**
 * Checks operator's data against the attributes it may hold: each key must be declared, each value
 * must fit its JSON Schema, a secret must be a reference. Every fault is named at once.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Refusal } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { Attrib } from '../role/role.ts';
import { isObject, pick } from './path.ts';
import { secretName } from './secret.ts';

const newAjv = (): Ajv => {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    validateFormats: true,
    addUsedSchema: false,
  });
  addFormats.default(ajv);
  return ajv;
};

const compiled = new WeakMap<JsonObject, ValidateFunction>();
const validatorOf = (schema: JsonObject): ValidateFunction => {
  let validate = compiled.get(schema);
  if (validate === undefined) compiled.set(schema, (validate = newAjv().compile(schema)));
  return validate;
};

/** Whether a JSON Schema can be used at all; the reason if not. */
export const checkSchema = (schema: JsonObject): string | null => {
  try {
    newAjv().compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const inWords = (attrib: Attrib, error: ErrorObject): string => {
  const where = error.instancePath.replaceAll('/', '.');
  const allowed: unknown = error.params['allowedValues'];
  const choice = Array.isArray(allowed) ? `: ${allowed.map(String).join(', ')}` : '';
  return `${attrib.name}${where} ${error.message ?? 'is not valid'}${choice}`;
};

export const checkValue = (attrib: Attrib, value: JsonValue, base: string): Refusal[] => {
  const path = [base, ...attrib.path].filter((part) => part !== '').join('.');
  if (attrib.secret)
    return secretName(value) === undefined
      ? [
          {
            code: 'secret_in_plain',
            path,
            message: `${attrib.name} is a secret: give {"$secret": "name"} and store the secret under that name`,
          },
        ]
      : [];
  if (attrib.schema === null || secretName(value) !== undefined) return [];
  const validate = validatorOf(attrib.schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => ({
    code: 'schema',
    path,
    message: inWords(attrib, error),
  }));
};

/** Leaves of a document, and inner objects an attribute's path ends at, count as declared. */
const undeclared = (data: JsonObject, attribs: readonly Attrib[]): string[][] => {
  const found: string[][] = [];
  const look = (at: JsonObject, path: string[]): void => {
    for (const [key, value] of Object.entries(at)) {
      const here = [...path, key];
      const fits = attribs.filter((attrib) =>
        attrib.path.every((part, index) => index >= here.length || part === here[index]),
      );
      if (fits.length === 0) found.push(here);
      else if (!fits.some((attrib) => attrib.path.length <= here.length)) {
        if (isObject(value)) look(value, here);
        else found.push(here);
      }
    }
  };
  look(data, []);
  return found;
};

export interface CheckDataInput {
  readonly data: JsonObject;
  readonly attribs: readonly Attrib[];
  /** What the data is of, in words: `role web`, `deployment shop`. */
  readonly owner: string;
  /** Prefix for the refusals' paths. */
  readonly base?: string;
}

export const checkData = (input: CheckDataInput): Refusal[] => {
  const base = input.base ?? 'data';
  const refusals: Refusal[] = undeclared(input.data, input.attribs).map((path) => {
    const known = input.attribs.map((attrib) => attrib.path.join('.'));
    return {
      code: 'undeclared',
      path: [base, ...path].join('.').slice(0, 300),
      message: `${input.owner} has no attribute ${path.join('.').slice(0, 200)}${known.length > 0 ? `; it has ${known.slice(0, 20).join(', ')}` : ''}`,
    };
  });
  for (const attrib of input.attribs) {
    const value = pick(input.data, attrib.path);
    if (value !== undefined) refusals.push(...checkValue(attrib, value, base));
  }
  return refusals;
};
