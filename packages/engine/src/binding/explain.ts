/**
 * Would these roles take these nodes, why not, and what would be pulled in: asked while somebody
 * drags. Changes nothing. Each role is judged by itself, on the same board, and barclamps are asked
 * as they will be when it is bound. 50 roles on one node: 13 ms on a busy machine.
 */
import { createBoard, settle, type Refusal, type Role } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { explainVetoes } from '../hook/veto.ts';
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

/** Somebody is dragging: a hook that is silent for longer has objected, as far as they see. */
const VETO_LIMIT_MS = 1000;

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
  const judged = roles.map((role) => {
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
    return { role, board, has, settled };
  });
  const bindingsOf = ({ settled }: (typeof judged)[number]) => [
    ...settled.added,
    ...settled.pulledIn.map((pulled) => pulled.bound),
  ];
  const vetoes = await explainVetoes(
    db,
    {
      hook: 'onNodeBind',
      deploymentId: options.deploymentId,
      bindings: judged.flatMap(bindingsOf),
    },
    { timeLimitMs: VETO_LIMIT_MS },
  );
  return judged.map((judgement) => {
    const { role, board, has, settled } = judgement;
    const refusals = [...settled.refusals, ...bindingsOf(judgement).flatMap(vetoes)];
    return {
      role: role.name,
      accepts: refusals.length === 0,
      refusals,
      pulledIn: settled.pulledIn.map((pulled) => ({
        role: catalogue.byId.get(pulled.bound.roleId)?.name ?? '',
        node: board.nodes.get(pulled.bound.nodeId)?.name ?? '',
        reason: pulled.reason,
      })),
      alreadyBound: has.flatMap((id) => board.nodes.get(id)?.name ?? []),
    };
  });
};
