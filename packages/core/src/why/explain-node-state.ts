/** Why nothing can be done on a node as such. */
import type { Why, WhyNode } from './facts.ts';
import { forSeconds } from './words.ts';

export const explainNodeState = (node: WhyNode): Why | undefined => {
  const cause = { nodeId: node.id };
  if (node.aliveHold !== null && !node.alive)
    return {
      sentence: `${node.name} is kept apart: ${node.aliveHold}`,
      cause: { ...cause, kind: 'held_dead' },
      command: `hostwright runs --node ${node.name} --live`,
    };
  if (!node.alive && node.rescue != null)
    return {
      sentence: `${node.name} has been in rescue for ${forSeconds(node.rescue.seconds)}, where no agent runs; ${node.rescue.told ?? 'nothing was heard of it since it began to boot'}`,
      cause: { ...cause, kind: 'not_alive' },
      command: `hostwright node boots ${node.name}`,
    };
  if (!node.everSeen)
    return {
      sentence: `${node.name} has never been seen: its agent has not called yet`,
      cause: { ...cause, kind: 'never_seen' },
      command: 'hostwright join-command',
    };
  if (!node.alive)
    return {
      sentence: `${node.name} is not alive: ${node.aliveReason}${node.hammers.length === 0 ? '; it has no hammer, so somebody has to look at the machine' : ''}`,
      cause: { ...cause, kind: 'not_alive' },
      // lists what its hammers offer; without one there is nothing to do from here
      command: node.hammers.length === 0 ? null : `hostwright node actions ${node.name}`,
    };
  if (!node.available)
    return {
      sentence: `${node.name} is not available: an operator keeps Hostwright off it`,
      cause: { ...cause, kind: 'not_available' },
      command: `hostwright node set ${node.name} --available`,
    };
  return undefined;
};
