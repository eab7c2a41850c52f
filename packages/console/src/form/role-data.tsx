/** The data of one role at one place (a deployment, or one binding), as a form from its attributes. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { role_get } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../session/client.ts';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { readAt, writeAt } from './at-path.ts';
import { MovedNotice } from './moved-notice.tsx';
import { SchemaField } from './schema-field.tsx';
import { useDraft } from './use-draft.ts';

export interface Provenance {
  readonly path: string;
  readonly value: JsonValue;
  readonly from: string;
}

export const RoleDataForm = (props: {
  readonly role: string;
  readonly data: JsonObject;
  readonly readOnly: boolean;
  readonly provenance?: readonly Provenance[];
  readonly saving: boolean;
  /** There is no proposal: what is saved holds at once. */
  readonly atOnce?: boolean;
  readonly onSave: (data: JsonObject) => void;
}) => {
  const { data: role } = useQuery(reading(role_get, { params: { role: props.role } }));
  const draft = useDraft(props.data);
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set());
  if (role === undefined) return <Skeleton />;
  if (role.attribs.length === 0)
    return (
      <Empty icon="settings" title="Nothing to set">
        {role.name} declares no attributes of its own.
      </Empty>
    );
  const mark = (name: string, isWrong: boolean) =>
    setWrong((before) => {
      const next = new Set(before);
      if (isWrong) next.add(name);
      else next.delete(name);
      return next;
    });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSave(draft.value);
      }}
    >
      <MovedNotice draft={draft} />
      {role.attribs.map((attrib) => {
        const found = props.provenance?.find((each) => each.path === attrib.path);
        const fallback = readAt(role.data, attrib.path) ?? attrib.default ?? undefined;
        return (
          <SchemaField
            key={`${attrib.name}-${draft.turn}`}
            name={attrib.name}
            description={attrib.description}
            schema={attrib.schema}
            secret={attrib.secret}
            value={readAt(props.data, attrib.path)}
            inherited={found?.value ?? fallback}
            source={found?.from ?? 'the role'}
            readOnly={props.readOnly}
            onChange={(value) => draft.set((before) => writeAt(before, attrib.path, value))}
            onWrong={(isWrong) => mark(attrib.name, isWrong)}
          />
        );
      })}
      {props.readOnly ? null : (
        <div className="row">
          <button
            className="btn primary"
            disabled={!draft.changed || wrong.size > 0 || props.saving}
          >
            {props.atOnce === true ? 'Set it now' : 'Put into the proposal'}
          </button>
          <span className="faint">
            {props.atOnce === true
              ? 'Takes effect at once, here and in everything below.'
              : 'Takes effect when the proposal is committed.'}
          </span>
        </div>
      )}
    </form>
  );
};
