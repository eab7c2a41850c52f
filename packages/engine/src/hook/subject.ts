/** What a hook is told of, from the event and the names the event's numbers stand for. */
import type { JsonValue, NoderoleState } from '@hostwright/core';
import type { Db } from '../db/open.ts';
import type { EventRecord } from '../event/read.ts';
import type { DeploymentSubject, NodeSubject, NoderoleSubject, PlainSubject } from './hooks.ts';
import type { HOOKS, HookName } from './kinds.ts';

type Sort = (typeof HOOKS)[HookName]['subject'];

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
// Only the trigger writes these, from a column with a check.
const state = (value: JsonValue | undefined) =>
  typeof value === 'string' ? (value as NoderoleState) : null;

export const subjectOf = async (
  db: Db,
  sort: Sort,
  event: EventRecord,
): Promise<NoderoleSubject | NodeSubject | DeploymentSubject | PlainSubject | undefined> => {
  switch (sort) {
    case 'noderole':
      return noderoleOf(db, event);
    case 'node': {
      const { name, ...changes } = event.payload;
      return { id: event.nodeId ?? 0, name: text(name), changes };
    }
    case 'deployment':
      return { id: event.deploymentId ?? 0, name: text(event.payload['name']) };
    default:
      return { nodeId: event.nodeId, payload: event.payload };
  }
};

const noderoleOf = async (db: Db, event: EventRecord): Promise<NoderoleSubject | undefined> => {
  const role = event.payload['role'];
  if (event.noderoleId === null || event.nodeId === null || typeof role !== 'number')
    return undefined;
  const names = await db
    .selectFrom('role')
    .innerJoin('node', (join) => join.on('node.id', '=', event.nodeId))
    .leftJoin('deployment', (join) => join.on('deployment.id', '=', event.deploymentId))
    .select(['role.name as role', 'node.name as node', 'deployment.name as deployment'])
    .where('role.id', '=', role)
    .executeTakeFirst();
  if (names === undefined) return undefined;
  return {
    noderoleId: event.noderoleId,
    role: names.role,
    node: { id: event.nodeId, name: names.node },
    deployment: { id: event.deploymentId ?? 0, name: names.deployment ?? '' },
    from: state(event.payload['from']),
    to: state(event.payload['to']),
    reason: text(event.payload['reason']),
    runId: event.runId,
  };
};
