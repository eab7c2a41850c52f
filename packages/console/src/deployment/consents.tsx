/** Leave for each destructive step of a plan, by name and disks. */
import type { Plan } from '@hostwright/api/nouns/snapshot-plan';
import { Notice } from '../ui/empty.tsx';

export const keyOf = (item: { readonly role: string; readonly node: string }) =>
  `${item.role}/${item.node}`;
export const disksOf = (item: Plan['destructive'][number]): string[] =>
  item.disks.map((disk) => disk.name);

export const Consents = (props: {
  readonly plan: Plan;
  readonly given: ReadonlySet<string>;
  readonly onGive: (given: ReadonlySet<string>) => void;
}) => {
  const { destructive } = props.plan;
  if (destructive.length === 0) return null;
  const toggle = (key: string) => {
    const next = new Set(props.given);
    if (!next.delete(key)) next.add(key);
    props.onGive(next);
  };
  const all = destructive.every((item) => props.given.has(keyOf(item)));
  return (
    <Notice tone="warn">
      <strong>What cannot be undone</strong>
      <p className="muted">
        Each is done at most once, and only with your leave. Without it, the noderole waits.
      </p>
      {destructive.length > 1 ? (
        <label className="check">
          <input
            type="checkbox"
            checked={all}
            onChange={() => props.onGive(new Set(all ? [] : destructive.map(keyOf)))}
          />{' '}
          all {destructive.length}
        </label>
      ) : null}
      <div className="stack tight">
        {destructive.map((item) => (
          <label key={keyOf(item)} className="check">
            <input
              type="checkbox"
              checked={props.given.has(keyOf(item))}
              onChange={() => toggle(keyOf(item))}
            />
            <span>
              <strong>{item.role}</strong> on {item.node}
              {disksOf(item).length > 0 ? `: overwrites ${disksOf(item).join(', ')}` : ''}
              {item.effect === '' ? null : <span className="faint"> · {item.effect}</span>}
            </span>
          </label>
        ))}
      </div>
    </Notice>
  );
};
