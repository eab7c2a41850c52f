/**
 * Unbinds roles from nodes in a proposal. What was bound only because these required it goes with
 * them; what others still require stays, as required.
 */
import { createBoard, settle, type Refusal } from '@hostwright/core';
import type { Db } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { editProposal, type Edit } from '../snapshot/edit.ts';
import type { BindingRequest, NamedBinding } from './bind.ts';
import { loadBoard, type OwnRow } from './load-board.ts';
import { resolveRefs } from './resolve-refs.ts';
import { insertBindings, removeBindings } from './write-bindings.ts';

export interface UnbindAnswer {
  readonly unbound: number;
  readonly alsoUnbound: readonly NamedBinding[];
  /** Asked for, but still required by others. */
  readonly stays: readonly NamedBinding[];
  readonly refusals: readonly Refusal[];
}

const keyOf = (at: { readonly roleId: number; readonly nodeId: number }): string =>
  `${at.roleId}@${at.nodeId}`;

export const unbindRoles = async (
  db: Db,
  options: Edit & { readonly bindings: readonly Omit<BindingRequest, 'data'>[] },
): Promise<UnbindAnswer> =>
  editProposal<UnbindAnswer>(db, options, async (tx, snapshot) => {
    const catalogue = await readCatalogue(tx);
    const refs = await resolveRefs(tx, catalogue, {
      roles: options.bindings.map((binding) => binding.role),
      nodes: options.bindings.map((binding) => binding.node),
    });
    const loaded = await loadBoard(tx, {
      deploymentId: snapshot.deploymentId,
      nodeIds: 'all',
      roleIds: [],
    });
    const own = new Map(loaded.own.map(({ row }) => [keyOf(row), row]));
    const refusals = [...refs.refusals];
    const going = new Map<string, OwnRow>();
    for (const binding of options.bindings) {
      const roleId = refs.role(binding.role);
      const nodeId = refs.node(binding.node);
      if (roleId === undefined || nodeId === undefined) continue;
      const row = own.get(keyOf({ roleId, nodeId }));
      if (row !== undefined) going.set(keyOf(row), row);
      else
        refusals.push({
          code: 'not_bound',
          path: `${String(binding.role)}@${String(binding.node)}`,
          message: `${String(binding.role)} is not bound to ${String(binding.node)} in this proposal`,
        });
    }
    if (refusals.length > 0)
      return {
        result: { unbound: 0, alsoUnbound: [], stays: [], refusals },
        payload: null,
      };

    const remaining = loaded.own.filter(({ row }) => !going.has(keyOf(row)));
    const board = createBoard({
      catalogue,
      chain: loaded.chain,
      below: loaded.board.below,
      names: loaded.board.names,
      nodes: loaded.board.nodes.values(),
      bound: [...remaining.map(({ bound }) => bound), ...loaded.elsewhere.keys()],
    });
    const settled = settle(
      board,
      [],
      remaining.map(({ bound }) => bound).filter((bound) => bound.origin === 'operator'),
    );
    const needed = new Set([...settled.parents.keys()].map(keyOf));
    const unneeded = remaining.filter(
      ({ row }) => row.origin === 'required' && !needed.has(keyOf(row)),
    );
    const named = (at: { roleId: number; nodeId: number }, reason: string): NamedBinding => ({
      role: catalogue.byId.get(at.roleId)?.name ?? '',
      node: board.nodes.get(at.nodeId)?.name ?? '',
      reason,
    });
    const stays = settled.pulledIn.filter(({ bound }) => going.has(keyOf(bound)));
    await removeBindings(tx, snapshot, [...going.values(), ...unneeded.map(({ row }) => row)]);
    await insertBindings(
      tx,
      snapshot,
      settled.pulledIn.map(({ bound, reason }) => ({
        roleId: bound.roleId,
        nodeId: bound.nodeId,
        origin: 'required',
        reason,
        data: going.get(keyOf(bound))?.data ?? null,
      })),
    );
    return {
      result: {
        unbound: going.size - stays.length,
        alsoUnbound: unneeded.map(({ row }) => named(row, 'nothing here requires it any more')),
        stays: stays.map(({ bound, reason }) => named(bound, reason)),
        refusals: [],
      },
      payload: { unbound: going.size - stays.length },
    };
  });
