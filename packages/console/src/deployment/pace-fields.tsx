/** How carefully a commit is carried out. */
export interface Pace {
  readonly rollingLimit?: number;
  readonly canary?: number;
  readonly stopAfterFailures?: number;
}
export const NO_PACE: Pace = {};

const FIELDS = [
  ['canary', 'Canary first', 'This many nodes go first; the rest waits until they are done.'],
  ['rollingLimit', 'At most at once', 'Nodes under work at the same time.'],
  ['stopAfterFailures', 'Stop after failures', 'Then nothing new is started.'],
] as const;

export const PaceFields = ({
  pace,
  onChange,
}: {
  readonly pace: Pace;
  readonly onChange: (pace: Pace) => void;
}) => (
  <fieldset className="pace">
    <legend>How carefully</legend>
    {FIELDS.map(([key, label, hint]) => (
      <div key={key} className="field">
        <label htmlFor={`pace-${key}`}>{label}</label>
        <input
          id={`pace-${key}`}
          className="input"
          type="number"
          min={1}
          placeholder="no limit"
          aria-describedby={`pace-${key}-hint`}
          value={pace[key] ?? ''}
          onChange={(event) => {
            const { [key]: _, ...rest } = pace;
            const value = event.target.valueAsNumber;
            onChange(Number.isInteger(value) && value > 0 ? { ...rest, [key]: value } : rest);
          }}
        />
        <span className="hint" id={`pace-${key}-hint`}>
          {hint}
        </span>
      </div>
    ))}
  </fieldset>
);
