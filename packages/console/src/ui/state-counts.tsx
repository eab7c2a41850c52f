import { NODEROLE_STATES, type NoderoleState } from '@hostwright/core/noderole/state';
import { LOOK_LABEL, StateMark } from './state.tsx';

/** Noderoles by state, only those there are. */
export const StateCounts = ({
  counts,
}: {
  readonly counts: Readonly<Record<NoderoleState, number>>;
}) => (
  <span className="row wrap">
    {NODEROLE_STATES.toReversed()
      .filter((state) => counts[state] > 0)
      .map((state) => (
        <span key={state} className="state" data-state={state} title={LOOK_LABEL[state]}>
          <StateMark look={state} />
          <span className="sr-only">{LOOK_LABEL[state]}</span>
          <span className="num">{counts[state].toLocaleString('en')}</span>
        </span>
      ))}
  </span>
);

export const StateMeter = ({
  counts,
}: {
  readonly counts: Readonly<Record<NoderoleState, number>>;
}) => {
  const total = NODEROLE_STATES.reduce((sum, state) => sum + counts[state], 0);
  if (total === 0) return <span className="faint">no roles</span>;
  const said = NODEROLE_STATES.filter((state) => counts[state] > 0).map(
    (state) => `${counts[state]} ${LOOK_LABEL[state].toLowerCase()}`,
  );
  return (
    <div className="meter" role="img" aria-label={said.join(', ')} title={said.join(', ')}>
      {(['active', 'transition', 'todo', 'blocked', 'error', 'proposed'] as const).map((state) =>
        counts[state] === 0 ? null : (
          <i
            key={state}
            data-state={state}
            style={{ width: `${(100 * counts[state]) / total}%` }}
          />
        ),
      )}
    </div>
  );
};
