/** One attribute: its value here, or what it inherits, and where that comes from. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { useId, useState } from 'react';
import { Icon } from '../ui/icon.tsx';
import { choicesOf, kindOf, parseField, scalarText, showValue } from './read-schema.ts';

export interface SchemaFieldProps {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject | null;
  readonly secret: boolean;
  /** What is set at this place; undefined = inherited. */
  readonly value: JsonValue | undefined;
  /** What holds if nothing is set here. */
  readonly inherited: JsonValue | undefined;
  readonly source: string;
  readonly readOnly: boolean;
  readonly onChange: (value: JsonValue | undefined) => void;
  /** What is typed cannot be read: nothing may be saved until it is mended. */
  readonly onWrong?: (wrong: boolean) => void;
}

export const SchemaField = (props: SchemaFieldProps) => {
  const { schema } = props;
  const id = useId();
  const [text, setText] = useState(() => showValue(schema, props.value));
  const parsed = parseField(schema, text);
  const kind = kindOf(schema);
  const change = (next: string) => {
    setText(next);
    const result = parseField(schema, next);
    props.onWrong?.(!result.ok);
    if (result.ok) props.onChange(result.value);
  };
  const shared = {
    id,
    disabled: props.readOnly,
    'aria-invalid': !parsed.ok,
    'aria-describedby': `${id}-hint`,
    value: text,
  } as const;
  const placeholder =
    props.inherited === undefined ? 'not set' : showValue(schema, props.inherited);
  return (
    <div className="field schema-field" data-set={text !== ''}>
      <div className="row">
        <label htmlFor={id}>{props.name}</label>
        {props.secret ? <span className="badge">secret reference</span> : null}
        <span className="provenance end">{text === '' ? `from ${props.source}` : 'set here'}</span>
        {text !== '' && !props.readOnly ? (
          <button
            type="button"
            className="btn quiet icon small"
            aria-label={`Inherit ${props.name} again`}
            title="Inherit again"
            onClick={() => change('')}
          >
            <Icon name="back" />
          </button>
        ) : null}
      </div>
      {kind === 'switch' || kind === 'choice' ? (
        <select className="select" {...shared} onChange={(event) => change(event.target.value)}>
          <option value="">
            {props.source === 'the default' ? 'default' : 'inherit'}
            {props.inherited === undefined ? '' : ` (${scalarText(props.inherited)})`}
          </option>
          {(kind === 'switch'
            ? ['true', 'false']
            : choicesOf(schema).map((choice) => choice.text)
          ).map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      ) : kind === 'lines' || kind === 'json' ? (
        <textarea
          className="textarea"
          {...shared}
          placeholder={placeholder}
          // as many lines as there are to see, within reason
          rows={Math.min(12, Math.max(3, (text || placeholder).split('\n').length))}
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <input
          className="input"
          {...shared}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          placeholder={placeholder}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
      )}
      <span className={parsed.ok ? 'hint' : 'wrong'} id={`${id}-hint`}>
        {parsed.ok ? props.description : parsed.reason}
      </span>
    </div>
  );
};
