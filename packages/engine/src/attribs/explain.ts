/** Every attribute a noderole would get now, with the layer that decided it; secrets never shown. */
import {
  explainLayers,
  HostwrightError,
  maskDocument,
  mergeLayers,
  secretName,
  type Attrib,
  type JsonObject,
  type JsonValue,
  type Layer,
  type LayerName,
} from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { layerAll } from './layers.ts';
import { loadRows } from './load-rows.ts';

export interface ExplainedValue {
  /** Slash separated. */
  readonly path: string;
  readonly value: JsonValue;
  readonly layer: LayerName;
  readonly from: string;
  readonly secret: boolean;
  /** Part of the input hash: a change of it means a re-run. */
  readonly input: boolean;
  readonly covers: readonly { layer: LayerName; from: string; value: JsonValue }[];
}

export interface ExplainedAttribs {
  readonly attribs: JsonObject;
  readonly values: readonly ExplainedValue[];
  readonly declared: readonly {
    readonly name: string;
    readonly path: string;
    readonly role: string | null;
    readonly description: string;
    readonly schema: JsonObject | null;
    readonly secret: boolean;
    readonly volatile: boolean;
  }[];
}

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((part, index) => path[index] === part);

const masked = (layers: readonly Layer[], attribs: readonly Attrib[]): Layer[] =>
  layers.map((layer) => ({ ...layer, document: maskDocument(layer.document, attribs) }));

export const explainAttribs = async (
  db: Db | Tx,
  options: { readonly noderoleId: number },
): Promise<ExplainedAttribs> => {
  const catalogue = await readCatalogue(db);
  const rows = await loadRows(db, catalogue, { noderoleIds: [options.noderoleId] });
  const layered = layerAll(catalogue, rows)(options.noderoleId);
  if (layered === undefined)
    throw new HostwrightError('not_found', {
      message: `there is no noderole ${options.noderoleId}`,
    });
  const { declared } = layered.inputs;
  const layers = masked(layered.layers, [...catalogue.attribs.values()]);
  return {
    attribs: mergeLayers(layers),
    values: explainLayers(layers).map((value) => {
      const attrib = declared.find((candidate) => startsWith(value.path, candidate.path));
      return {
        path: value.path.join('/'),
        value: value.value,
        layer: value.layer,
        from: value.from,
        secret: attrib?.secret === true || secretName(value.value) !== undefined,
        input: attrib !== undefined && !attrib.volatile && value.layer !== 'own wall',
        covers: value.covers,
      };
    }),
    declared: declared.map((attrib) => ({
      name: attrib.name,
      path: attrib.path.join('/'),
      role: attrib.role,
      description: attrib.description,
      schema: attrib.schema,
      secret: attrib.secret,
      volatile: attrib.volatile,
    })),
  };
};
