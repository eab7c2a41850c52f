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

/** What of a role decides how its inputs are hashed. */
export interface InputsOfRole {
  readonly declared: readonly Attrib[];
  readonly destructive: boolean;
}

const notOwnWall = (layer: Layer): boolean => layer.layer !== 'own wall';
const notFacts = (layer: Layer): boolean => notOwnWall(layer) && layer.layer !== 'discovery';

/** Half of a digest: it is compared with one other, by nobody who could choose it. */
const SHORT = 32;

/**
 * A destructive role changes the very facts it was made from: an installed machine reports other disks
 * than the empty one. Before its run they make a consent void; after it they are no drift. So its hash
 * has a second part, of the inputs without facts; see inputsHold.
 */
export const inputHash = (
  { declared, destructive }: InputsOfRole,
  layers: readonly Layer[],
  digest: Digest,
): string => {
  const digestOf = (counts: (layer: Layer) => boolean): string => {
    const inputs: Record<string, JsonValue> = {};
    for (const attrib of declared) {
      if (attrib.volatile) continue;
      const value = valueAt(layers, attrib.path, counts);
      if (value !== undefined) inputs[attrib.name] = value;
    }
    return digest(canonicalJson(inputs));
  };
  const whole = digestOf(notOwnWall);
  return destructive ? `${whole}.${digestOf(notFacts).slice(0, SHORT)}` : whole;
};

/** Whether something that was made from the one would not be made otherwise from the other. */
export const inputsHold = (made: string, now: string): boolean => {
  const [whole, withoutFacts] = made.split('.');
  const [wholeNow, withoutFactsNow] = now.split('.');
  return withoutFacts === undefined || withoutFactsNow === undefined
    ? whole === wholeNow
    : withoutFacts === withoutFactsNow;
};

export const inputsOf = (role: InputsOfRole, layers: readonly Layer[], digest: Digest): Inputs => {
  const attribs = mergeLayers(layers);
  return {
    attribs,
    attribsHash: digest(canonicalJson(attribs)),
    inputHash: inputHash(role, layers, digest),
    secrets: secretNames(attribs),
  };
};
