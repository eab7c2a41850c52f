/**
 * The attributes a run of each noderole would get now, and the hash of its declared inputs. The hot
 * path of every claim: five statements and no more for a batch.
 */
import { inputsOf, type Inputs } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { sha256 } from './digest.ts';
import { layerAll } from './layers.ts';
import { loadRows, type AsProposed, type NoderoleRow } from './load-rows.ts';

export type ResolvedInputs = Inputs;

export const resolveInputs = async (
  db: Db | Tx,
  noderoleIds: readonly number[],
  options: {
    readonly proposed?: AsProposed | undefined;
    /** Rows of these noderoles that the caller has read already. */
    readonly known?: readonly NoderoleRow[];
  } = {},
): Promise<Map<number, ResolvedInputs>> => {
  const resolved = new Map<number, ResolvedInputs>();
  if (noderoleIds.length === 0) return resolved;
  const catalogue = await readCatalogue(db);
  const rows = await loadRows(db, catalogue, { noderoleIds, ...options });
  const layered = layerAll(catalogue, rows);
  for (const id of noderoleIds) {
    const noderole = layered(id);
    if (noderole !== undefined)
      resolved.set(id, inputsOf(noderole.inputs, noderole.layers, sha256));
  }
  return resolved;
};
