/**
 * What decides whether a later change means a re-run: the declared inputs (own attributes and
 * wanted ones), without what the noderole itself wrote back and without volatile facts.
 */
import type { JsonObject, JsonValue } from '../json.ts';
import { canonicalJson, type Digest } from '../canonical-json.ts';
import type { Catalogue } from '../role/catalogue.ts';
import type { Attrib, Role } from '../role/role.ts';
import { mergeLayers, valueAt, type Layer } from './layer.ts';
import { secretNames } from './secret.ts';

export interface Inputs {
  readonly attribs: JsonObject;
  readonly attribsHash: string;
  readonly inputHash: string;
  /** Names of the secrets that stand in `attribs` by reference. */
  readonly secrets: readonly string[];
}

/** Own attributes first, then the wanted ones that exist; each once. */
export const declaredInputs = (catalogue: Catalogue, role: Role): readonly Attrib[] => {
  const declared = new Map<string, Attrib>();
  for (const attrib of catalogue.attribsOf.get(role.name) ?? []) declared.set(attrib.name, attrib);
  for (const want of role.wants) {
    const attrib = catalogue.attribs.get(want);
    if (attrib !== undefined) declared.set(want, attrib);
  }
  return [...declared.values()];
};

const notOwnWall = (layer: Layer): boolean => layer.layer !== 'own wall';

export const inputHash = (
  declared: readonly Attrib[],
  layers: readonly Layer[],
  digest: Digest,
): string => {
  const inputs: Record<string, JsonValue> = {};
  for (const attrib of declared) {
    if (attrib.volatile) continue;
    const value = valueAt(layers, attrib.path, notOwnWall);
    if (value !== undefined) inputs[attrib.name] = value;
  }
  return digest(canonicalJson(inputs));
};

export const inputsOf = (
  declared: readonly Attrib[],
  layers: readonly Layer[],
  digest: Digest,
): Inputs => {
  const attribs = mergeLayers(layers);
  return {
    attribs,
    attribsHash: digest(canonicalJson(attribs)),
    inputHash: inputHash(declared, layers, digest),
    secrets: secretNames(attribs),
  };
};
