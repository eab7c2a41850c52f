/** What the pointer or the keyboard is on, beside the grid. */
import { NODEROLE_STATES } from '@hostwright/core/noderole/state';
import { useFleet, useFleetTick } from '../live/fleet-store.ts';
import { LOOK_LABEL, LOOK_MEANING, State, StateMark } from '../ui/state.tsx';
import { LOOK_CODES, WIDTH } from './columns.ts';
import type { Pointed } from './grid.tsx';

export const HoverCard = ({ pointed }: { readonly pointed: Pointed }) => {
  const { columns, deployments } = useFleet();
  useFleetTick();
  const { node } = pointed;
  const look = LOOK_CODES[columns.look[node] ?? 0] ?? 'down';
  const left = Math.min(pointed.x + 6, innerWidth - 290);
  const top = Math.min(pointed.y + 6, innerHeight - 190);
  return (
    <div className="hover-card" style={{ left, top }} aria-hidden="true">
      <div className="row">
        <strong className="truncate grow">{columns.name[node]}</strong>
        <State look={look} />
      </div>
      <p className="faint">{LOOK_MEANING[look]}</p>
      <dl className="facts">
        <dt>Deployment</dt>
        <dd>{deployments.get(columns.deployment[node] ?? 0)?.name}</dd>
        {Object.entries(columns.labels[node] ?? {})
          .slice(0, 4)
          .map(([key, value]) => [
            <dt key={`${key}-t`}>{key}</dt>,
            <dd key={`${key}-d`} className="truncate">
              {value}
            </dd>,
          ])}
      </dl>
      <div className="row wrap">
        {NODEROLE_STATES.map((state, at) => {
          const count = columns.counts[node * WIDTH + at] ?? 0;
          return count === 0 ? null : (
            <span key={state} className="state" data-state={state} title={LOOK_LABEL[state]}>
              <StateMark look={state} /> {count}
            </span>
          );
        })}
        {columns.available[node] === true ? null : (
          <span className="badge warn">not available</span>
        )}
        {columns.admin[node] === true ? <span className="badge info">admin node</span> : null}
      </div>
    </div>
  );
};
