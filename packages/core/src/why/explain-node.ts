/** Of everything on a node, the one thing that matters most: what failed, then what waits, then what is odd. */
import { quoteWord } from '../command/quote.ts';
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
  /** It was given back, and is to be erased after its teardowns. */
  readonly release?: WhyRelease | null;
}

export interface WhyRelease {
  readonly actor: string;
  readonly disks: readonly string[];
  readonly how: 'quick' | 'full';
  /** What keeps it beside teardowns; empty: nothing. */
  readonly waitsFor: string;
  /** Why it ended, with nothing erased. */
  readonly failed: string | null;
}

const ORDER: Readonly<Record<NoderoleState, number>> = {
  error: 0,
  transition: 1,
  todo: 2,
  blocked: 3,
  active: 4,
  proposed: 5,
};

/** An erasure that is asked for is told of after what it waits for, and instead of `it is new`. */
export const explainNode = (facts: WhyNodeFacts): Why => {
  const why = explainWork(facts);
  const { node, release } = facts;
  if (release == null) return why;
  const bare = why.cause.kind === 'undefined' || why.cause.kind === 'none';
  const waits = release.waitsFor === '' ? '' : `; it waits: ${release.waitsFor}`;
  const told =
    release.failed === null
      ? `its disks ${release.disks.join(', ')} are erased once its teardowns have ended, as ${release.actor} asked${waits}`
      : `its disks ${release.disks.join(', ')} were not erased: ${release.failed}`;
  if (!bare) return { ...why, sentence: `${why.sentence}; ${told}` };
  return {
    sentence: `${node.name} is released; ${told}`,
    cause: { kind: release.failed === null ? 'removing' : 'error', nodeId: node.id },
    command:
      release.failed === null
        ? `hostwright why ${node.name}`
        : `hostwright node release ${node.name} ${release.disks.map((disk) => `--erase ${quoteWord(disk)}`).join(' ')}${release.how === 'full' ? ' --full' : ''}`,
  };
};

const explainWork = (facts: WhyNodeFacts): Why => {
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
