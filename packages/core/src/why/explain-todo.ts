/** Why something that may run does not. What a person must undo comes before what passes by itself. */
import { explainNodeState } from './explain-node-state.ts';
import type { CauseKind, Why, WhyNoderole } from './facts.ts';
import { forSeconds, inSeconds, nameOf } from './words.ts';

export const explainTodo = (it: WhyNoderole): Why =>
  byPeople(it) ?? byNode(it) ?? byRollout(it) ?? byOrder(it) ?? byAnnealer(it) ?? byLane(it);

const because = (
  it: WhyNoderole,
  kind: CauseKind,
  told: { readonly text: string; readonly command: string | null; readonly runId?: number },
): Why => ({
  sentence: `${nameOf(it)} waits: ${told.text}`,
  cause: {
    kind,
    noderoleId: it.id,
    nodeId: it.node.id,
    deploymentId: it.deployment.id,
    ...(told.runId === undefined ? {} : { runId: told.runId }),
  },
  command: told.command,
});

const byPeople = (it: WhyNoderole): Why | undefined => {
  if (it.holds.includes('halted'))
    return because(it, 'halted', {
      text: `the commit of revision ${it.rollout?.revision ?? '?'} was halted: ${it.rollout?.haltedReason ?? 'it failed too often'}`,
      command: `hostwright deployment resume ${it.deployment.name}`,
    });
  if (it.holds.includes('consent'))
    return because(it, 'consent', {
      text: 'it is destructive, and nobody has given leave for its inputs as they are now',
      command: `hostwright commit ${it.deployment.name} --consent ${it.role}@${it.node.name}`,
    });
  if (it.pausedBy !== null)
    return because(it, 'paused', {
      text: `deployment ${it.pausedBy} is paused`,
      command: `hostwright deployment resume ${it.pausedBy}`,
    });
  if (!it.jig.active)
    return because(it, 'jig_off', {
      text: `its jig ${it.jig.name} is switched off`,
      command: `hostwright jig on ${it.jig.name}`,
    });
  return undefined;
};

const byNode = (it: WhyNoderole): Why | undefined => {
  const node = explainNodeState(it.node);
  if (node === undefined) return undefined;
  return because(it, node.cause.kind, { text: node.sentence, command: node.command });
};

const byRollout = (it: WhyNoderole): Why | undefined => {
  if (!it.holds.includes('rolling')) return undefined;
  const command = `hostwright watch ${it.deployment.name}`;
  if (it.rollout?.canary != null && !it.rollout.canaryPassed)
    return because(it, 'canary', {
      text: `the canary of ${it.rollout.canary} of this commit has not passed yet`,
      command,
    });
  return because(it, 'rolling', {
    text: `the commit goes out to ${it.rollout?.rollingLimit ?? 'a few'} nodes at a time, and ${it.node.name}'s turn has not come`,
    command,
  });
};

const byOrder = (it: WhyNoderole): Why | undefined => {
  if (it.holds.includes('backoff') && (it.backoffSeconds ?? 0) > 0)
    return because(it, 'backoff', {
      text: `it failed (${it.reason || (it.run?.error ?? 'no reason given')}) and is tried again in ${inSeconds(it.backoffSeconds ?? 0)}`,
      command: `hostwright retry ${it.node.name}/${it.role}`,
    });
  if (it.softParent !== null)
    return because(it, 'order', {
      text: `${it.softParent.role} on ${it.softParent.node} goes first and is in ${it.softParent.state}`,
      command: `hostwright why ${it.softParent.node}/${it.softParent.role}`,
    });
  if (it.holds.includes('removing'))
    return because(it, 'removing', {
      text: 'it is being removed, and what depends on it is torn down first',
      command: `hostwright watch ${it.deployment.name}`,
    });
  return undefined;
};

const byAnnealer = (it: WhyNoderole): Why | undefined => {
  const { annealer } = it;
  if (annealer.mode === 'drain')
    return because(it, 'annealer_drain', {
      text: 'the annealer drains: nothing new starts',
      command: 'hostwright anneal --mode auto',
    });
  if (annealer.mode === 'manual')
    return because(it, 'annealer_manual', {
      text: 'the annealer is in manual mode',
      command: 'hostwright anneal --once',
    });
  if (annealer.workers === 0)
    return because(it, 'no_worker', {
      text: annealer.draining > 0 ? 'every worker is draining' : 'no worker is alive',
      command: 'hostwright worker',
    });
  return undefined;
};

const byLane = (it: WhyNoderole): Why => {
  const run = it.laneRun;
  if (run !== null)
    return because(it, 'lane_busy', {
      text: `${run.role} runs on ${it.node.name} (run ${run.id}, ${run.status} for ${forSeconds(run.seconds)})`,
      command: `hostwright logs -f ${run.id}`,
      runId: run.id,
    });
  const ahead = it.aheadInLane + it.aheadInQueue;
  return because(it, 'queue', {
    text:
      ahead === 0
        ? 'it is next, and starts at the next turn of the annealer'
        : `${ahead} come before it in the queue (${it.aheadInLane} on this node)`,
    command: `hostwright watch ${it.deployment.name}`,
  });
};
