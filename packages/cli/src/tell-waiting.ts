/**
 * What a commit does not set going by itself: destructive work without leave, and noderoles in error,
 * which only `retry` runs again, whatever became of their data. Said at once, with the command.
 */
import type { Client } from '@hostwright/api';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import type { Plan } from '@hostwright/api/nouns/snapshot-plan';
import { sayConsent } from '@hostwright/core';
import type { Output } from './output.ts';

const MOST_LINES = 20;

type Destructive = Plan['destructive'][number];

const disksOf = ({ disks }: Destructive): string =>
  disks.map((disk) => `${disk.name} (${disk.serial ?? 'no serial'})`).join(', ') || 'its disks';

/** Items of the plan that a commit was given no leave for. */
export const withoutLeave = (
  plan: Plan,
  given: readonly { readonly role: string; readonly node: string }[],
): readonly Destructive[] =>
  plan.destructive.filter(
    (item) =>
      item.effect === 'runs once consent is given' &&
      !given.some(
        ({ role, node }) =>
          (role === item.role || Number(role) === item.roleId) &&
          (node === item.node || Number(node) === item.nodeId),
      ),
  );

export const tellLeave = (
  out: Output,
  deployment: string,
  waiting: readonly Destructive[],
): void => {
  if (waiting.length === 0) return;
  const shown = waiting.slice(0, MOST_LINES);
  for (const item of shown)
    out.line(`${item.role} on ${item.node} waits for leave: it may erase ${disksOf(item)}`);
  if (waiting.length > shown.length)
    out.line(`... and ${waiting.length - shown.length} more wait for leave`);
  out.line(`give leave with: hostwright commit ${deployment} ${shown.map(sayConsent).join(' ')}`);
};

export const tellErrors = async (
  out: Output,
  client: Client,
  deployment: string,
): Promise<void> => {
  if (out.json) return;
  const { items, next } = await client.call(noderole_list, {
    query: { deployment: [deployment], state: ['error'], limit: 1000 },
  });
  const [first] = items;
  if (first === undefined) return;
  const count = next === null ? items.length : `more than ${items.length}`;
  out.line(
    items.length === 1
      ? `${first.role} on ${first.node} is in error, and new data alone does not run it again: hostwright retry ${first.node}/${first.role}`
      : `${count} noderoles are in error, and new data alone does not run them again: hostwright retry -d ${deployment}`,
  );
};
