/** A labelled input with its hint, as every form has it. */
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
}

export const TextField = ({
  label,
  hint,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        autoComplete="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
      />
      {hint === undefined ? null : (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
};

export const SelectField = ({
  label,
  hint,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="select" {...rest}>
        {children}
      </select>
      {hint === undefined ? null : <span className="hint">{hint}</span>}
    </div>
  );
};
