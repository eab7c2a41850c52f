/** A document as JSON, for what no schema describes. */
import type { JsonObject } from '@hostwright/core';
import { useId, useState } from 'react';
import { MovedNotice } from './moved-notice.tsx';
import { useDraft, type Draft } from './use-draft.ts';

const parse = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
};

export interface JsonEditorProps {
  readonly label: string;
  readonly hint: string;
  readonly value: JsonObject;
  readonly readOnly: boolean;
  readonly saving: boolean;
  readonly save: string;
  readonly onSave: (value: JsonObject) => void;
}

export const JsonEditor = (props: JsonEditorProps) => {
  const draft = useDraft(props.value);
  return <JsonText key={draft.turn} {...props} draft={draft} />;
};

const JsonText = (props: JsonEditorProps & { readonly draft: Draft<JsonObject> }) => {
  const id = useId();
  const [text, setText] = useState(() => JSON.stringify(props.value, null, 2));
  const value = parse(text);
  const change = (next: string) => {
    setText(next);
    const read = parse(next);
    if (read !== undefined) props.draft.set(read);
  };
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== undefined) props.onSave(value);
      }}
    >
      <MovedNotice draft={props.draft} />
      <label htmlFor={id}>{props.label}</label>
      <textarea
        id={id}
        className="textarea"
        rows={8}
        value={text}
        readOnly={props.readOnly}
        aria-invalid={value === undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => change(event.target.value)}
        spellCheck={false}
      />
      <span id={`${id}-hint`} className={value === undefined ? 'wrong' : 'hint'}>
        {value === undefined ? 'This is not a JSON object: { "name": value, … }' : props.hint}
      </span>
      {props.readOnly ? null : (
        <div>
          <button
            className="btn"
            disabled={value === undefined || props.saving || !props.draft.changed}
          >
            {props.save}
          </button>
        </div>
      )}
    </form>
  );
};
