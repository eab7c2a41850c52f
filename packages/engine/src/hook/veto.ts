/**
 * Asks barclamps before a change is made. Every objection of every barclamp comes back at once. A
 * hook that throws, hangs or cannot be loaded objects: what it would have said is not known.
 * The hooks get no transaction: they look, the caller changes.
 */
import { HostwrightError, isObject, type JsonValue, type Refusal } from '@hostwright/core';
import type { Db, Tx } from '../db/open.ts';
import { findNode, readNodes } from '../node/find.ts';
import type { BindSubject, CommitSubject, VetoContext } from './hooks.ts';
import { readBarclampHooks, type BarclampWithHooks } from './load.ts';

export interface CommitQuestion {
  readonly hook: 'onCommit';
  readonly deploymentId: number;
  readonly snapshotId: number;
}

export interface BindQuestion {
  readonly hook: 'onNodeBind';
  readonly deploymentId: number;
  readonly bindings: readonly { readonly roleId: number; readonly nodeId: number }[];
}

export interface VetoOptions {
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 5000;

export const runVetoes = async (
  tx: Tx,
  question: CommitQuestion | BindQuestion,
  options: VetoOptions = {},
): Promise<Refusal[]> => {
  const answers = await askAll(tx, question, options);
  return answers.flatMap(({ refusals }) => refusals);
};

/** Who objects to which binding: what `runVetoes` would say if each were bound alone. */
export const explainVetoes = async (
  db: Db | Tx,
  question: BindQuestion,
  options: VetoOptions = {},
): Promise<(binding: { roleId: number; nodeId: number }) => readonly Refusal[]> => {
  const answers = await askAll(db, question, options);
  const byKey = new Map<string, readonly Refusal[]>();
  const silent = new Map<string, readonly Refusal[]>();
  for (const { asked, refusals, mute } of answers) {
    // Not asked again, so that nobody waits: but it would have objected to this one too.
    if (mute && refusals.length > 0) silent.set(asked.barclamp.name, refusals);
    byKey.set(asked.key, mute ? (silent.get(asked.barclamp.name) ?? []) : refusals);
  }
  return ({ roleId, nodeId }) => byKey.get(keyOf({ roleId, nodeId })) ?? [];
};

const keyOf = (binding: { readonly roleId: number; readonly nodeId: number }): string =>
  `${binding.roleId}@${binding.nodeId}`;

interface Answered {
  readonly asked: Asked;
  readonly refusals: readonly Refusal[];
  /** It hung or cannot be loaded, now or before. */
  readonly mute: boolean;
}

const askAll = async (
  tx: Db | Tx,
  question: CommitQuestion | BindQuestion,
  options: VetoOptions,
): Promise<Answered[]> => {
  const barclamps = await readBarclampHooks(tx, 'asked');
  const concerned = barclamps.filter(
    ({ hooks, error }) => error !== undefined || hooks?.names.has(question.hook) === true,
  );
  if (concerned.length === 0) return [];
  const limit = options.timeLimitMs ?? TIME_LIMIT_MS;
  const asked: Asked[] =
    question.hook === 'onCommit'
      ? await commitQuestions(tx, question, concerned)
      : await bindQuestions(tx, question, concerned);
  const answers: Answered[] = [];
  const mutes = new Set<string>();
  for (const one of asked) {
    const { barclamp, path } = one;
    // One that hung once would hang ten thousand times: it has objected already.
    if (mutes.has(barclamp.name)) {
      answers.push({ asked: one, refusals: [], mute: true });
      continue;
    }
    const { refusals, late } =
      barclamp.error === undefined
        ? await answerOf(one, { hook: question.hook, limit, tx })
        : {
            refusals: [
              refusal(barclamp.name, path, `its hooks cannot be loaded: ${barclamp.error}`),
            ],
            late: true,
          };
    if (late) mutes.add(barclamp.name);
    answers.push({ asked: one, refusals, mute: late });
  }
  return answers;
};

interface Asked {
  /** What is asked about, among the questions of one call. */
  readonly key: string;
  readonly barclamp: BarclampWithHooks;
  readonly path: string;
  readonly subject: CommitSubject | BindSubject;
}

const refusal = (barclamp: string, path: string, message: string): Refusal => ({
  code: 'hook',
  path,
  message: `barclamp ${barclamp}: ${message}`,
});

/** What came back from the thread was written by others: anything but a list of reasons objects. */
const reasonsOf = (asked: Asked, value: unknown): Refusal[] => {
  const { barclamp, path } = asked;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    return [refusal(barclamp.name, path, 'answered with no list of reasons')];
  return value.map((reason: JsonValue) => {
    if (!isObject(reason)) return refusal(barclamp.name, path, textOf(reason, ''));
    return {
      code: textOf(reason['code'], 'hook'),
      path: textOf(reason['path'], path),
      message: textOf(reason['message'], `barclamp ${barclamp.name} gave no reason`),
    };
  });
};

const textOf = (value: JsonValue | undefined, fallback: string): string =>
  typeof value === 'string' ? value : value === undefined ? fallback : JSON.stringify(value);

const answerOf = async (
  asked: Asked,
  {
    hook,
    limit,
    tx,
  }: { readonly hook: 'onCommit' | 'onNodeBind'; readonly limit: number; readonly tx: Db | Tx },
): Promise<{ readonly refusals: Refusal[]; readonly late: boolean }> => {
  const { barclamp, path, subject } = asked;
  const services: Omit<VetoContext, 'signal'> = { findNode: (node) => findNode(tx, node) };
  const answer = await barclamp.hooks?.call({
    hook,
    subject,
    services: { ...services },
    limitMs: limit,
  });
  if (answer?.kind === 'done') return { refusals: reasonsOf(asked, answer.value), late: false };
  const late = answer?.kind === 'late';
  const text = answer?.kind === 'failed' ? answer.error : `did not answer within ${limit / 1000} s`;
  return { refusals: [refusal(barclamp.name, path, text)], late };
};

const deploymentOf = async (tx: Db | Tx, id: number) => {
  const row = await tx
    .selectFrom('deployment')
    .select(['id', 'name'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new HostwrightError('not_found');
  return row;
};

const commitQuestions = async (
  tx: Db | Tx,
  question: CommitQuestion,
  barclamps: readonly BarclampWithHooks[],
): Promise<Asked[]> => {
  const deployment = await deploymentOf(tx, question.deploymentId);
  const { revision } = await tx
    .selectFrom('snapshot')
    .select('revision')
    .where('id', '=', question.snapshotId)
    .executeTakeFirstOrThrow();
  const bindings = await tx
    .selectFrom('binding')
    .innerJoin('role', 'role.id', 'binding.role_id')
    .innerJoin('barclamp', 'barclamp.id', 'role.barclamp_id')
    .innerJoin('node', 'node.id', 'binding.node_id')
    .select([
      'barclamp.name as barclamp',
      'role.name as role',
      'node.name as node',
      'node.id as nodeId',
    ])
    .where('binding.deployment_id', '=', deployment.id)
    .where('binding.added_revision', '<=', revision)
    .where((row) =>
      row.or([
        row('binding.removed_revision', 'is', null),
        row('binding.removed_revision', '>', revision),
      ]),
    )
    .where(
      'barclamp.name',
      'in',
      barclamps.map((barclamp) => barclamp.name),
    )
    .orderBy('binding.id')
    .execute();
  const byBarclamp = Map.groupBy(bindings, (binding) => binding.barclamp);
  return barclamps.flatMap((barclamp) => {
    const own = byBarclamp.get(barclamp.name);
    if (own === undefined) return [];
    const subject: CommitSubject = {
      deployment,
      snapshotId: question.snapshotId,
      revision,
      bindings: own.map(({ role, node, nodeId }) => ({ role, node, nodeId })),
    };
    return [
      {
        key: deployment.name,
        barclamp,
        path: deployment.name,
        subject,
      },
    ];
  });
};

const bindQuestions = async (
  tx: Db | Tx,
  question: BindQuestion,
  barclamps: readonly BarclampWithHooks[],
): Promise<Asked[]> => {
  if (question.bindings.length === 0) return [];
  const roles = await tx
    .selectFrom('role')
    .innerJoin('barclamp', 'barclamp.id', 'role.barclamp_id')
    .select(['role.id', 'role.name', 'barclamp.name as barclamp'])
    .where('role.id', 'in', [...new Set(question.bindings.map((binding) => binding.roleId))])
    .where(
      'barclamp.name',
      'in',
      barclamps.map((barclamp) => barclamp.name),
    )
    .execute();
  if (roles.length === 0) return [];
  const deployment = await deploymentOf(tx, question.deploymentId);
  const roleById = new Map(roles.map((role) => [role.id, role]));
  const wanted = question.bindings.filter((binding) => roleById.has(binding.roleId));
  const nodes = await readNodes(tx, [...new Set(wanted.map((binding) => binding.nodeId))]);
  const nodeById = new Map(nodes.map((node) => [node.id, node]));
  return wanted.flatMap(({ roleId, nodeId }) => {
    const role = roleById.get(roleId);
    const node = nodeById.get(nodeId);
    const barclamp = barclamps.find((candidate) => candidate.name === role?.barclamp);
    if (role === undefined || node === undefined || barclamp === undefined) return [];
    const subject: BindSubject = { deployment, role: role.name, node };
    return [
      {
        key: keyOf({ roleId, nodeId }),
        barclamp,
        path: `${role.name}/${node.name}`,
        subject,
      },
    ];
  });
};
