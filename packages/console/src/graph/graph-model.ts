/** The graph as it is drawn: every noderole, or one box per role where there are too many. Pure. */
import type { NoderoleState } from '@hostwright/core/noderole/state';
import type { Answer } from '@hostwright/api';
import type { deployment_graph } from '@hostwright/api/nouns/deployment-graph';

export type GraphAnswer = Answer<typeof deployment_graph>;
export type GraphNoderole = GraphAnswer['noderoles'][number];

export interface Box {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly cohort: number;
  readonly state: NoderoleState;
  readonly count: number;
  readonly counts: Readonly<Record<NoderoleState, number>>;
  readonly foreign: boolean;
  readonly attention: boolean;
  readonly reason: string;
  readonly noderoles: readonly number[];
}

export interface Drawn {
  readonly boxes: readonly Box[];
  readonly edges: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly soft: boolean;
  }[];
  readonly boxOf: ReadonlyMap<number, string>;
}

/** Above this many noderoles the layout takes seconds and nobody can read it. */
export const EACH_LIMIT = 300;

const WORST: readonly NoderoleState[] = [
  'error',
  'transition',
  'blocked',
  'todo',
  'proposed',
  'active',
];
const none = (): Record<NoderoleState, number> => ({
  proposed: 0,
  blocked: 0,
  todo: 0,
  transition: 0,
  active: 0,
  error: 0,
});

const boxFrom = (id: string, members: readonly GraphNoderole[], byRole: boolean): Box => {
  const counts = none();
  for (const each of members) counts[each.state] += 1;
  const [first] = members;
  return {
    id,
    title: first?.role ?? '',
    detail: byRole && members.length > 1 ? `${members.length} nodes` : (first?.node ?? ''),
    cohort: Math.max(...members.map((each) => each.cohort)),
    state: WORST.find((state) => counts[state] > 0) ?? 'active',
    count: members.length,
    counts,
    foreign: members.every((each) => each.foreign),
    attention: members.some((each) => each.degraded || each.drifted),
    reason: members.find((each) => each.reason !== '')?.reason ?? '',
    noderoles: members.map((each) => each.id),
  };
};

export const draw = (answer: GraphAnswer, byRole: boolean): Drawn => {
  const groups = new Map<string, GraphNoderole[]>();
  const boxOf = new Map<number, string>();
  for (const each of answer.noderoles) {
    const key = byRole ? `role-${each.roleId}` : `noderole-${each.id}`;
    boxOf.set(each.id, key);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const edges = new Map<string, { id: string; from: string; to: string; soft: boolean }>();
  for (const [parent, child, soft] of answer.edges) {
    const [from, to] = [boxOf.get(parent), boxOf.get(child)];
    if (from === undefined || to === undefined || from === to) continue;
    const id = `${from}>${to}`;
    edges.set(id, { id, from, to, soft: soft && (edges.get(id)?.soft ?? true) });
  }
  return {
    boxes: [...groups].map(([id, members]) => boxFrom(id, members, byRole)),
    edges: [...edges.values()],
    boxOf,
  };
};

/** Edges and boxes on a way from what blocks to what is blocked. */
export const traceBlocked = (
  answer: GraphAnswer,
  drawn: Drawn,
  only: string | undefined,
): { readonly edges: ReadonlySet<string>; readonly causes: ReadonlySet<string> } => {
  const parents = new Map<number, number[]>();
  for (const [parent, child] of answer.edges)
    parents.set(child, [...(parents.get(child) ?? []), parent]);
  const edges = new Set<string>();
  const causes = new Set<string>();
  for (const each of answer.noderoles) {
    if (each.state !== 'blocked' || each.blockedBy === null) continue;
    const start = drawn.boxOf.get(each.id);
    if (only !== undefined && start !== only) continue;
    const cause = drawn.boxOf.get(each.blockedBy);
    if (cause !== undefined) causes.add(cause);
    const via = new Map<number, number>();
    const queue = [each.id];
    for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
      if (at === each.blockedBy) break;
      for (const parent of parents.get(at) ?? []) {
        if (via.has(parent)) continue;
        via.set(parent, at);
        queue.push(parent);
      }
    }
    for (
      let at = each.blockedBy, next = via.get(at);
      next !== undefined;
      at = next, next = via.get(at)
    )
      edges.add(`${drawn.boxOf.get(at) ?? ''}>${drawn.boxOf.get(next) ?? ''}`);
  }
  return { edges, causes };
};

/** Same boxes and edges = same layout, whatever the states. */
export const shapeOf = (drawn: Drawn): string =>
  [...drawn.boxes.map((box) => box.id), '|', ...drawn.edges.map((edge) => edge.id)].join(' ');
