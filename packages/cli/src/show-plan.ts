/** A plan for people: what happens, to what, and what cannot be undone. */
import type { Plan } from '@hostwright/api/nouns/snapshot-plan';
import { sayConsent } from '@hostwright/core';
import type { Output } from './output.ts';
import type { Colour } from './paint.ts';

const MOST_LINES = 40;

interface Planned {
  readonly role: string;
  readonly node: string;
  readonly reason?: string | undefined;
}

const section = (
  out: Output,
  title: string,
  sign: string,
  colour: Colour,
  items: readonly Planned[],
): void => {
  if (items.length === 0) return;
  out.line(out.paint('bold', `${title} (${items.length})`));
  for (const item of items.slice(0, MOST_LINES))
    out.line(
      `  ${out.paint(colour, `${sign} ${item.role} on ${item.node}`)}${item.reason ? `: ${item.reason}` : ''}`,
    );
  if (items.length > MOST_LINES)
    out.line(`  ... and ${items.length - MOST_LINES} more; --json lists all`);
};

export const showPlan = (out: Output, plan: Plan, deployment: string): void => {
  section(out, 'to add', '+', 'green', plan.add);
  section(out, 'pulled in', '+', 'cyan', plan.pulledIn);
  section(out, 'to change', '~', 'yellow', plan.change);
  section(out, 'to run again', '~', 'yellow', plan.rerun);
  section(out, 'to tear down', '-', 'red', plan.teardown);
  section(
    out,
    'DESTRUCTIVE, each needs --consent',
    '!',
    'red',
    plan.destructive.filter((item) => item.effect === 'runs once consent is given'),
  );
  section(
    out,
    'destructive, so they stay as they are and are marked drifted',
    '!',
    'yellow',
    plan.destructive.filter((item) => item.effect !== 'runs once consent is given'),
  );
  for (const effect of plan.effects) out.line(`  ${effect.kind} ${effect.subject}: ${effect.text}`);
  if (plan.refusals.length > 0) {
    out.line(out.paint('red', `cannot be committed (${plan.refusals.length})`));
    for (const refusal of plan.refusals) out.line(`  - ${refusal.path}: ${refusal.message}`);
    return;
  }
  const parts = [plan.add, plan.change, plan.rerun, plan.teardown, plan.destructive];
  if (parts.every((part) => part.length === 0))
    out.line('nothing would be added, run again or torn down');
  const command = `hostwright commit ${deployment} --plan ${plan.hash}`;
  out.line();
  out.line(`commit it with: ${command}`);
  const erasing = plan.destructive.filter((item) => item.effect === 'runs once consent is given');
  if (erasing.length > 0)
    out.line(
      `with leave for what is destructive, add: ${erasing.slice(0, MOST_LINES).map(sayConsent).join(' ')}`,
    );
};
