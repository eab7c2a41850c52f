/**
 * Would these roles take these nodes, why not, and what would be pulled in: asked while somebody
 * drags. Changes nothing. Each role is judged by itself, on the same board.
 */
import { createBoard, settle, type Refusal, type Role } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { HostwrightError } from '@hostwright/core';
import type { NamedBinding } from './bind.ts';
import { loadBoard } from './load-board.ts';
import { resolveRefs, type Ref } from './resolve-refs.ts';

export interface BindingExplanation {
  readonly role: string;
  readonly accepts: boolean;
  readonly refusals: readonly Refusal[];
  readonly pulledIn: readonly NamedBinding[];
  /** Nodes that have it already. */
  readonly alreadyBound: readonly string[];
}

/** Milestones first, then by name; libraries, abstract and removed roles are not offered. */
const offered = (roles: readonly Role[]): Role[] =>
  roles
    .filter((role) => !role.removed && !role.flags.has('library') && !role.flags.has('abstract'))
    .toSorted(
      (a, b) =>
        Number(b.flags.has('milestone')) - Number(a.flags.has('milestone')) ||
        (a.name < b.name ? -1 : 1),
    );

export const explainBinding = async (
  db: Db | Tx,
  options: {
    readonly deploymentId: number;
    readonly nodes: readonly Ref[];
    readonly roles?: readonly Ref[] | undefined;
  },
): Promise<BindingExplanation[]> => {
  const catalogue = await readCatalogue(db);
  const refs = await resolveRefs(db, catalogue, {
    roles: options.roles ?? [],
    nodes: options.nodes,
  });
  if (refs.refusals.length > 0)
    throw new HostwrightError('not_found', {
      message: refs.refusals.map((refusal) => refusal.message).join('; '),
      refusals: refs.refusals,
    });
  const roles =
    options.roles === undefined
      ? offered(catalogue.roles)
      : options.roles.flatMap((ref) => catalogue.byId.get(refs.role(ref) ?? 0) ?? []);
  const nodeIds = options.nodes.flatMap((ref) => refs.node(ref) ?? []);
  const loaded = await loadBoard(db, {
    deploymentId: options.deploymentId,
    nodeIds,
    roleIds: roles.map((role) => role.id),
  });
  const bound = [...loaded.own.map((own) => own.bound), ...loaded.elsewhere.keys()];
  return roles.map((role) => {
    const board = createBoard({
      catalogue,
      chain: loaded.chain,
      below: loaded.board.below,
      names: loaded.board.names,
      nodes: loaded.board.nodes.values(),
      bound,
    });
    const has = nodeIds.filter(
      (id) => board.onNode.get(id)?.get(role.id)?.deploymentId === options.deploymentId,
    );
    const settled = settle(
      board,
      nodeIds.map((nodeId) => ({ roleId: role.id, nodeId })),
    );
    return {
      role: role.name,
      accepts: settled.refusals.length === 0,
      refusals: settled.refusals,
      pulledIn: settled.pulledIn.map((pulled) => ({
        role: catalogue.byId.get(pulled.bound.roleId)?.name ?? '',
        node: board.nodes.get(pulled.bound.nodeId)?.name ?? '',
        reason: pulled.reason,
      })),
      alreadyBound: has.flatMap((id) => board.nodes.get(id)?.name ?? []),
    };
  });
};
