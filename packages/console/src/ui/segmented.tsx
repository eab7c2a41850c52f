export const Segmented = <const Value extends string>(props: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}) => (
  <div className="segmented" role="group" aria-label={props.label}>
    {(Object.keys(props.options) as Value[]).map((value) => (
      <button
        key={value}
        aria-pressed={props.value === value}
        onClick={() => props.onChange(value)}
      >
        {props.options[value]}
      </button>
    ))}
  </div>
);
