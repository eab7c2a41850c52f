/** The tree of deployments: order, line of descent, worst state. */
import { deployment_list, type Deployment } from '@hostwright/api/nouns/deployment';
import { useQuery } from '@tanstack/react-query';
import { reading } from '../session/client.ts';
import type { Look } from '../ui/state.tsx';

export const worstOf = (deployment: Deployment): Look => {
  const { noderoles: counts } = deployment;
  for (const state of ['error', 'transition', 'blocked', 'todo', 'active', 'proposed'] as const)
    if (counts[state] > 0) return state;
  return 'down';
};

/** Parents before children, children by name under their parent. */
export const inTreeOrder = (items: readonly Deployment[]): readonly Deployment[] => {
  const children = new Map<number | null, Deployment[]>();
  for (const item of items)
    children.set(item.parentId, [...(children.get(item.parentId) ?? []), item]);
  const walk = (parent: number | null): Deployment[] =>
    (children.get(parent) ?? [])
      .sort((a, b) => a.name.localeCompare(b.name))
      .flatMap((item) => [item, ...walk(item.id)]);
  return walk(null);
};

/** The deployment and all above it: where a grant may have been given. */
export const lineOf = (items: readonly Deployment[], id: number): readonly number[] => {
  const found = items.find((item) => item.id === id);
  if (found === undefined) return [];
  return found.parentId === null ? [id] : [id, ...lineOf(items, found.parentId)];
};

export const useDeployments = () => useQuery(reading(deployment_list, {}));

/** Deep trees stay readable: from here on children stand under their parent's indentation. */
const DEEPEST = 12;
export const indentOf = (deployment: Deployment, step: number): number =>
  Math.min(deployment.depth, DEEPEST) * step;
