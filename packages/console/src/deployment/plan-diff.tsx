/** A plan as sentences: one line per role, its nodes named, the reason where there is one. */
import type { Plan } from '@hostwright/api/nouns/snapshot-plan';
import { plural } from '../ui/words.ts';

interface Line {
  readonly role: string;
  readonly nodes: readonly string[];
  readonly reason: string;
}

const gather = (
  items: readonly {
    readonly role: string;
    readonly node: string;
    readonly reason?: string | undefined;
  }[],
): readonly Line[] => {
  const lines = new Map<string, { role: string; nodes: string[]; reason: string }>();
  for (const { role, node, reason = '' } of items) {
    // the same reason told for each of a thousand nodes is one line
    const key = `${role}\n${reason.replaceAll(node, '')}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { role, nodes: [node], reason });
    else line.nodes.push(node);
  }
  return [...lines.values()];
};

const MOST = 6;
const Nodes = ({ nodes }: { readonly nodes: readonly string[] }) => (
  <>
    {nodes.slice(0, MOST).join(', ')}
    {nodes.length > MOST ? (
      <details className="more-nodes">
        <summary>and {nodes.length - MOST} more</summary>
        {nodes.slice(MOST).join(', ')}
      </details>
    ) : null}
  </>
);

const Group = (props: {
  readonly title: string;
  readonly tone: string;
  readonly sign: string;
  readonly items: Parameters<typeof gather>[0];
}) => {
  if (props.items.length === 0) return null;
  return (
    <section className="diff-group">
      <h3>
        {props.title} <span className="badge">{props.items.length}</span>
      </h3>
      {gather(props.items).map((line) => (
        <div key={line.role + line.reason} className={`diff-line ${props.tone}`}>
          <b aria-hidden="true">{props.sign}</b>
          <div>
            <strong>{line.role}</strong> <span className="muted">on</span>{' '}
            <Nodes nodes={line.nodes} />
            {line.reason === '' ? null : <div className="faint">{line.reason}</div>}
          </div>
        </div>
      ))}
    </section>
  );
};

export const planIsEmpty = (plan: Plan): boolean =>
  [
    plan.add,
    plan.change,
    plan.rerun,
    plan.teardown,
    plan.pulledIn,
    plan.destructive,
    plan.effects,
  ].every((part) => part.length === 0);

export const planSentence = (plan: Plan): string => {
  const parts = [
    [plan.add.length, 'to add'],
    [plan.change.length, 'to change'],
    [plan.rerun.length, 'to run again'],
    [plan.teardown.length, 'to tear down'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${plural(count, 'noderole')} ${what}`);
  return said.length === 0 ? 'This commit changes nothing.' : `${said.join(', ')}.`;
};

export const PlanDiff = ({ plan }: { readonly plan: Plan }) => {
  const pulled = new Set(plan.pulledIn.map((each) => `${each.role}\n${each.node}`));
  return (
    <div className="diff">
      <Group
        title="Add"
        tone="add"
        sign="+"
        items={plan.add.filter((each) => !pulled.has(`${each.role}\n${each.node}`))}
      />
      <Group title="Pulled in" tone="pull" sign="+" items={plan.pulledIn} />
      <Group
        title="Change"
        tone="change"
        sign="~"
        items={plan.change.map((each) => ({ ...each, reason: `${each.what.join(', ')} changed` }))}
      />
      <Group title="Run again" tone="change" sign="↻" items={plan.rerun} />
      <Group
        title="Tear down"
        tone="remove"
        sign="−"
        items={plan.teardown.map((each) => ({
          ...each,
          reason: each.how === 'forget' ? 'only forgotten: nothing is done on the machine' : '',
        }))}
      />
      {plan.effects.length === 0 ? null : (
        <section className="diff-group">
          <h3>Addresses, names, boot</h3>
          {plan.effects.map((effect) => (
            <div key={effect.kind + effect.subject + effect.text} className="diff-line change">
              <b aria-hidden="true">~</b>
              <div>
                <strong>{effect.subject}</strong> {effect.text}
              </div>
            </div>
          ))}
        </section>
      )}
    </div>
  );
};
