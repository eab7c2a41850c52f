/**
 * Layers of attributes, weakest first. Objects are merged key by key, everything else is replaced
 * as a whole. Which layer a value came from is kept per key.
 */
import type { JsonObject, JsonValue } from '../json.ts';
import { isObject, pick } from './path.ts';

export const LAYERS = [
  'role default',
  'barclamp',
  'discovery',
  'deployment',
  'deployment role',
  'ancestor wall',
  'own wall',
  'computed',
  'hint',
  'own data',
] as const;
export type LayerName = (typeof LAYERS)[number];

export interface Layer {
  readonly layer: LayerName;
  /** Whose it is: a deployment, a role, a node, a noderole; by name. */
  readonly from: string;
  readonly document: JsonObject;
}

export const merge = (weak: JsonValue | undefined, strong: JsonValue): JsonValue => {
  if (!isObject(weak) || !isObject(strong)) return strong;
  // a reference to a secret is one value, never half of one
  if (Object.hasOwn(strong, '$secret') || Object.hasOwn(weak, '$secret')) return strong;
  const merged: JsonObject = { ...weak };
  for (const [key, value] of Object.entries(strong))
    Object.defineProperty(merged, key, {
      value: merge(Object.hasOwn(weak, key) ? weak[key] : undefined, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  return merged;
};

const isEmpty = (document: JsonObject): boolean => {
  for (const _ in document) return false;
  return true;
};

export const mergeLayers = (layers: readonly Layer[]): JsonObject => {
  let merged: JsonObject = {};
  for (const { document } of layers)
    if (!isEmpty(document)) merged = merge(merged, document) as JsonObject;
  return merged;
};

/** What a layer says of a path: a value, nothing, or that there is nothing below (`covered`). */
const lookAt = (
  document: JsonObject,
  path: readonly string[],
): { readonly value?: JsonValue; readonly covered: boolean } => {
  let at: JsonValue = document;
  for (const key of path) {
    if (!isObject(at) || Object.hasOwn(at, '$secret')) return { covered: true };
    if (!Object.hasOwn(at, key)) return { covered: false };
    at = at[key] as JsonValue;
  }
  return { value: at, covered: false };
};

/**
 * The value at one path, merged over those layers that `take` lets through: the same as in the
 * merged document, without making it.
 */
export const valueAt = (
  layers: readonly Layer[],
  path: readonly string[],
  take: (layer: Layer) => boolean = () => true,
): JsonValue | undefined => {
  let value: JsonValue | undefined;
  for (const layer of layers) {
    if (isEmpty(layer.document) || !take(layer)) continue;
    const here = lookAt(layer.document, path);
    if (here.covered) value = undefined;
    else if (here.value !== undefined) value = merge(value, here.value);
  }
  return value;
};

export interface Provenance {
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly layer: LayerName;
  readonly from: string;
  /** Weaker layers that gave this key too, strongest first. */
  readonly covers: readonly {
    readonly layer: LayerName;
    readonly from: string;
    readonly value: JsonValue;
  }[];
}

const leaves = (value: JsonValue, path: readonly string[]): (readonly string[])[] =>
  isObject(value) && !Object.hasOwn(value, '$secret') && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
    : [path];

/** Every leaf of the merged document, with the layer that decided it. */
export const explainLayers = (layers: readonly Layer[]): Provenance[] => {
  const merged = mergeLayers(layers);
  if (isEmpty(merged)) return [];
  return leaves(merged, []).map((path) => {
    const given = layers.toReversed().flatMap(({ layer, from, document }) => {
      const value = pick(document, path);
      return value === undefined ? [] : [{ layer, from, value }];
    });
    const [decider, ...covers] = given;
    return {
      path,
      value: pick(merged, path) ?? null,
      layer: decider?.layer ?? 'role default',
      from: decider?.from ?? '',
      covers,
    };
  });
};
