/** Settles as many of the requests as can be: each refusal takes its requests away, and the rest is tried anew. Pure. */
import {
  createBoard,
  settle,
  type BindRequest,
  type Board,
  type BoardInput,
  type Bound,
} from '@hostwright/core';

const withoutRefused = (
  board: Board,
  requests: readonly BindRequest[],
  refused: ReadonlySet<string>,
): BindRequest[] => {
  const nodeName = (nodeId: number): string => board.nodes.get(nodeId)?.name ?? '';
  const left = requests.filter(
    ({ roleId, nodeId }) =>
      !refused.has(`${board.catalogue.byId.get(roleId)?.name ?? ''}@${nodeName(nodeId)}`),
  );
  if (left.length < requests.length) return left;
  // what is refused was pulled in by something: leave those nodes out altogether
  const names = new Set([...refused].map((path) => path.slice(path.indexOf('@') + 1)));
  return left.filter(({ nodeId }) => !names.has(nodeName(nodeId)));
};

export const settleWhatFits = (
  input: BoardInput,
  wanted: readonly BindRequest[],
): { readonly board: Board; readonly bound: readonly Bound[] } => {
  let requests = wanted;
  for (;;) {
    const board = createBoard(input); // settling writes on its board
    const { added, pulledIn, refusals } = settle(board, requests);
    if (refusals.length === 0 || requests.length === 0)
      return { board, bound: [...added, ...pulledIn.map(({ bound }) => bound)] };
    const left = withoutRefused(board, requests, new Set(refusals.map(({ path }) => path)));
    requests = left.length < requests.length ? left : []; // nobody to blame: none, rather than for ever
  }
};
