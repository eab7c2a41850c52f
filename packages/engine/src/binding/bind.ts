/**
 * Binds roles to nodes in a proposal, ten thousand in one call: all or, with every reason, none.
 * What they require is bound too and named with its reason.
 */
import {
  checkData,
  declaredInputs,
  settle,
  type Catalogue,
  type JsonObject,
  type Refusal,
} from '@hostwright/core';
import { HostwrightError } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { readCatalogue } from '../role/read-catalogue.ts';
import { runVetoes } from '../hook/veto.ts';
import { editProposal, type Edit } from '../snapshot/edit.ts';
import { loadBoard, type LoadedBoard } from './load-board.ts';
import { resolveRefs, type Ref } from './resolve-refs.ts';
import {
  ensureDeploymentRoles,
  insertBindings,
  removeBindings,
  type NewBinding,
} from './write-bindings.ts';

export interface BindingRequest {
  readonly role: Ref;
  readonly node: Ref;
  readonly data?: JsonObject | undefined;
}

export interface NamedBinding {
  readonly role: string;
  readonly node: string;
  readonly reason: string;
}

export interface BindAnswer {
  /** New operator's bindings; 0 if anything was refused. */
  readonly bound: number;
  readonly pulledIn: readonly NamedBinding[];
  readonly refusals: readonly Refusal[];
}

const MOST_BINDINGS = 100_000;

interface Wanted {
  readonly roleId: number;
  readonly nodeId: number;
  readonly data: JsonObject | undefined;
}

const resolveWanted = async (
  tx: Tx,
  catalogue: Catalogue,
  bindings: readonly BindingRequest[],
): Promise<{ wanted: Wanted[]; refusals: Refusal[] }> => {
  const refs = await resolveRefs(tx, catalogue, {
    roles: bindings.map((binding) => binding.role),
    nodes: bindings.map((binding) => binding.node),
  });
  const refusals = [...refs.refusals];
  const wanted = new Map<string, Wanted>();
  bindings.forEach((binding, index) => {
    const roleId = refs.role(binding.role);
    const nodeId = refs.node(binding.node);
    if (roleId === undefined || nodeId === undefined) return;
    wanted.set(`${roleId}@${nodeId}`, { roleId, nodeId, data: binding.data });
    const role = catalogue.byId.get(roleId);
    if (binding.data !== undefined && role !== undefined)
      refusals.push(
        ...checkData({
          data: binding.data,
          attribs: declaredInputs(catalogue, role),
          owner: `role ${role.name}`,
          base: `bindings.${index}.data`,
        }),
      );
  });
  return { wanted: [...wanted.values()], refusals };
};

const named = (loaded: LoadedBoard, roleId: number, nodeId: number) => ({
  role: loaded.board.catalogue.byId.get(roleId)?.name ?? '',
  node: loaded.board.nodes.get(nodeId)?.name ?? '',
});

/** Pulled in before and now asked for, or given other data: the row is written anew. */
const replaced = (loaded: LoadedBoard, wanted: readonly Wanted[]): NewBinding[] => {
  const byKey = new Map(wanted.map((want) => [`${want.roleId}@${want.nodeId}`, want]));
  return loaded.own.flatMap(({ row }) => {
    const want = byKey.get(`${row.roleId}@${row.nodeId}`);
    if (want === undefined || (row.origin === 'operator' && want.data === undefined)) return [];
    return [
      {
        roleId: row.roleId,
        nodeId: row.nodeId,
        origin: 'operator' as const,
        reason: '',
        data: want.data ?? row.data,
      },
    ];
  });
};

export const bindRoles = async (
  db: Db,
  options: Edit & { readonly bindings: readonly BindingRequest[] },
): Promise<BindAnswer> => {
  if (options.bindings.length > MOST_BINDINGS)
    throw new HostwrightError('too_large', {
      message: `at most ${MOST_BINDINGS} bindings in one call`,
    });
  return editProposal<BindAnswer>(db, options, async (tx, snapshot) => {
    const catalogue = await readCatalogue(tx);
    const { wanted, refusals } = await resolveWanted(tx, catalogue, options.bindings);
    const refuse = (all: readonly Refusal[]) => ({
      result: { bound: 0, pulledIn: [], refusals: all },
      payload: null,
    });
    const loaded = await loadBoard(tx, {
      deploymentId: snapshot.deploymentId,
      nodeIds: [...new Set(wanted.map((want) => want.nodeId))],
      roleIds: [...new Set(wanted.map((want) => want.roleId))],
    });
    const again = replaced(loaded, wanted);
    const settled = settle(loaded.board, wanted);
    const data = new Map(wanted.map((want) => [`${want.roleId}@${want.nodeId}`, want.data]));
    const rows: NewBinding[] = [
      ...settled.added.map(({ roleId, nodeId }) => ({
        roleId,
        nodeId,
        origin: 'operator' as const,
        reason: '',
        data: data.get(`${roleId}@${nodeId}`) ?? null,
      })),
      ...settled.pulledIn.map(({ bound, reason }) => ({
        roleId: bound.roleId,
        nodeId: bound.nodeId,
        origin: 'required' as const,
        reason,
        data: null,
      })),
    ];
    const vetoes = await runVetoes(tx, {
      hook: 'onNodeBind',
      deploymentId: snapshot.deploymentId,
      bindings: rows,
    });
    const all = [...refusals, ...settled.refusals, ...vetoes];
    if (all.length > 0) return refuse(all);
    await removeBindings(tx, snapshot, again);
    await insertBindings(tx, snapshot, [...again, ...rows]);
    await ensureDeploymentRoles(
      tx,
      snapshot,
      rows.map((row) => row.roleId),
    );
    return {
      result: {
        bound: settled.added.length,
        pulledIn: settled.pulledIn.map(({ bound, reason }) => ({
          ...named(loaded, bound.roleId, bound.nodeId),
          reason,
        })),
        refusals: [],
      },
      payload: rows.length + again.length === 0 ? null : { bound: rows.length },
    };
  });
};
