/**
 * The one cause for which a noderole is not (or not quite) done, and the command that would clear
 * it. A blocked one is followed to the root: what is said is what keeps that one.
 */
import { explainTodo } from './explain-todo.ts';
import type { Cause, CauseKind, Why, WhyNoderole, WhyPhase, WhyRun } from './facts.ts';
import { forSeconds, inSeconds, nameOf } from './words.ts';

export const explainNoderole = (it: WhyNoderole): Why => {
  switch (it.state) {
    case 'proposed':
      return {
        sentence: `${nameOf(it)} is only proposed: nobody has committed it`,
        cause: causeOf(it, 'proposed'),
        command: `hostwright commit ${it.deployment.name}`,
      };
    case 'blocked':
      return explainBlocked(it);
    case 'todo':
      return explainTodo(it);
    case 'transition':
      return it.run === null ? explainTodo(it) : explainRun(it, it.run);
    case 'error':
      return explainError(it);
    case 'active':
      return explainActive(it);
  }
  return it.state satisfies never;
};

const causeOf = (it: WhyNoderole, kind: CauseKind, runId?: number): Cause => ({
  kind,
  noderoleId: it.id,
  nodeId: it.node.id,
  deploymentId: it.deployment.id,
  ...(runId === undefined ? {} : { runId }),
});

const explainBlocked = (it: WhyNoderole): Why => {
  if (it.root === null)
    return {
      sentence: `${nameOf(it)} is blocked${it.reason === '' ? '' : `: ${it.reason}`}`,
      cause: causeOf(it, 'blocked'),
      command: `hostwright why ${it.node.name}`,
    };
  const root = explainNoderole(it.root);
  return { ...root, sentence: `${nameOf(it)} is blocked, because ${root.sentence}` };
};

const lastSeen = ({ lastText, lastSeconds }: WhyPhase): string =>
  lastText === null
    ? 'nothing was seen of the machine'
    : `last seen ${forSeconds(lastSeconds ?? 0)} ago: ${lastText.slice(0, 200)}`;

const explainPhase = (it: WhyNoderole, run: WhyRun, phase: WhyPhase): Why => {
  const left =
    phase.deadlineSeconds < 0
      ? 'its deadline has passed'
      : `its deadline is in ${inSeconds(phase.deadlineSeconds)}`;
  return {
    sentence: `${nameOf(it)} has been in phase ${phase.name} for ${forSeconds(phase.seconds)} and waits for ${phase.waitsFor}, ${left}; ${lastSeen(phase)}`,
    cause: causeOf(it, 'waiting', run.id),
    command: `hostwright node boots ${it.node.name}`,
  };
};

const explainRun = (it: WhyNoderole, run: WhyRun): Why => {
  if (run.status === 'waiting' && run.phase != null) return explainPhase(it, run, run.phase);
  const logs = `hostwright logs -f ${run.id}`;
  const left =
    run.deadlineSeconds === null
      ? ''
      : `, its deadline is in ${inSeconds(Math.max(0, run.deadlineSeconds))}`;
  if (run.status === 'waiting')
    return {
      sentence: `${nameOf(it)} has waited for ${run.waitingFor ?? 'evidence'} for ${forSeconds(run.seconds)}${left}`,
      cause: causeOf(it, 'waiting', run.id),
      command: logs,
    };
  if (run.status === 'cancelling')
    return {
      sentence: `${nameOf(it)} is being cancelled${left}`,
      cause: causeOf(it, 'cancelling', run.id),
      command: logs,
    };
  if (!run.workerAlive)
    return {
      sentence: `${nameOf(it)} was run by a worker that died; another takes it up within 15 seconds`,
      cause: causeOf(it, 'worker_lost', run.id),
      command: it.annealer.workers === 0 ? 'hostwright worker' : logs,
    };
  return {
    sentence: `${nameOf(it)} has been running for ${forSeconds(run.seconds)}${left}`,
    cause: causeOf(it, 'running', run.id),
    command: logs,
  };
};

const explainError = (it: WhyNoderole): Why => {
  const reason = it.reason || it.run?.error || 'no reason was given';
  const last = it.run?.lastLines.at(-1)?.trim() ?? '';
  const said = last === '' || reason.includes(last) ? '' : `; its last line: ${last.slice(0, 200)}`;
  const phase = it.run?.phase ?? null;
  const seen = phase === null ? '' : `; it was in phase ${phase.name}, ${lastSeen(phase)}`;
  const what = it.removing ? 'could not be removed' : 'failed';
  const again =
    it.destructive && !it.removing
      ? `hostwright commit ${it.deployment.name} --consent ${it.role}@${it.node.name}`
      : `hostwright retry ${it.node.name}/${it.role}`;
  return {
    sentence: `${nameOf(it)} ${what}: ${reason}${said}${seen}`,
    cause: causeOf(it, 'error', it.run?.id),
    command: again,
  };
};

const explainActive = (it: WhyNoderole): Why => {
  if (it.removing) return explainTodo({ ...it, state: 'todo' });
  if (it.drifted)
    return {
      sentence: `${nameOf(it)} is active but drifted: ${it.driftReason ?? 'its inputs changed'}; it is destructive, so it is not re-run unasked`,
      cause: causeOf(it, 'drifted'),
      // it waits for leave then, and says how that is given
      command: `hostwright retry ${it.node.name}/${it.role}`,
    };
  if (it.root !== null) {
    const root = explainNoderole(it.root);
    return {
      sentence: `${nameOf(it)} is active but degraded, because ${root.sentence}`,
      cause: { ...root.cause, kind: 'degraded' },
      command: root.command,
    };
  }
  if (it.refreshQueued)
    return {
      sentence: `${nameOf(it)} is active; a refresh is to run`,
      cause: causeOf(it, 'refresh', it.run?.id),
      command: `hostwright runs --node ${it.node.name} --live`,
    };
  return {
    sentence: `${nameOf(it)} is active: there is nothing to do`,
    cause: causeOf(it, 'none'),
    command: null,
  };
};
