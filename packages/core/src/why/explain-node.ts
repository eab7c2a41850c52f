/** Of everything on a node, the one thing that matters most: what failed, then what waits, then what is odd. */
import type { NoderoleState } from '../noderole/state.ts';
import { explainNodeState } from './explain-node-state.ts';
import { explainNoderole } from './explain-noderole.ts';
import type { Why, WhyNode, WhyNoderole } from './facts.ts';

export interface WhyNodeFacts {
  readonly node: WhyNode;
  /** Those that are not plainly active. */
  readonly noderoles: readonly WhyNoderole[];
  /** All of them. */
  readonly count: number;
  /** Bound by an operator, not by Hostwright itself. */
  readonly given: number;
}

const ORDER: Readonly<Record<NoderoleState, number>> = {
  error: 0,
  transition: 1,
  todo: 2,
  blocked: 3,
  active: 4,
  proposed: 5,
};

export const explainNode = (facts: WhyNodeFacts): Why => {
  const { node } = facts;
  const pending = facts.noderoles.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]);
  const failed = pending.find((it) => it.state === 'error');
  const state = explainNodeState(node);
  // Work under way (an install) explains a dead node better than its being dead does.
  const running = pending.find((it) => it.state === 'transition' && it.run !== null);
  if (state !== undefined && (failed === undefined || state.cause.kind === 'not_available'))
    return running === undefined || state.cause.kind !== 'held_dead'
      ? { ...state, sentence: `${state.sentence}${waiting(pending)}` }
      : explainNoderole(running);
  const first = failed ?? pending[0];
  if (first !== undefined) return explainNoderole(first);
  if (facts.given === 0)
    return {
      sentence: `${node.name} is new: nobody has given it a role`,
      cause: { kind: 'undefined', nodeId: node.id },
      command: 'hostwright role list --flag milestone',
    };
  return {
    sentence: `${node.name} is done: ${facts.count === 1 ? 'its one noderole is' : `all ${facts.count} noderoles are`} active`,
    cause: { kind: 'none', nodeId: node.id },
    command: null,
  };
};

const waiting = (pending: readonly WhyNoderole[]): string => {
  const open = pending.filter((it) => it.state === 'todo' || it.state === 'blocked').length;
  return open === 0 ? '' : `; ${open} noderole${open === 1 ? ' waits' : 's wait'} for it`;
};
