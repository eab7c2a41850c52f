/** A labelled input with its hint, and why it was refused, as every form has it. */
import { useId, type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes } from 'react';
import { useRefused } from './refused.ts';

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
}

/** What the input itself needs for that: `data-field` tells the form that its refusals are shown. */
const useField = (name: string | undefined, hint: ReactNode) => {
  const id = useId();
  const wrong = useRefused(name);
  const described = [
    ...(wrong === undefined ? [] : [`${id}-wrong`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return {
    id,
    input: {
      id,
      name,
      'data-field': name,
      ...(wrong === undefined ? {} : { 'aria-invalid': true }),
      ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
    },
    notes: (
      <>
        {wrong === undefined ? null : (
          <span className="wrong" id={`${id}-wrong`}>
            {wrong}
          </span>
        )}
        {hint === undefined ? null : (
          <span className="hint" id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </>
    ),
  };
};

export const TextField = ({
  label,
  hint,
  name,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) => {
  const { id, input, notes } = useField(name, hint);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input className="input" autoComplete="off" {...input} {...rest} />
      {notes}
    </div>
  );
};

export const SelectField = ({
  label,
  hint,
  name,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) => {
  const { id, input, notes } = useField(name, hint);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="select" {...input} {...rest}>
        {children}
      </select>
      {notes}
    </div>
  );
};
