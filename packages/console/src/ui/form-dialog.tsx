/**
 * A dialog that is a form: one button sends it, once. What was refused stands at its field; what is
 * about no field here stands above them all.
 */
import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { troubleOf } from '../session/client.ts';
import { TroubleNotice } from '../shell/failure.tsx';
import type { Change } from './change.ts';
import { Dialog } from './dialog.tsx';
import { fieldOf, RefusedContext } from './refused.ts';

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly change: Change;
  readonly onClose: () => void;
  readonly onSubmit: (form: FormData) => void;
  readonly children: ReactNode;
}

const fieldsOf = (form: HTMLFormElement): ReadonlySet<string> =>
  new Set(
    [...form.querySelectorAll<HTMLElement>('[data-field]')].map(
      (each) => each.dataset['field'] ?? '',
    ),
  );

export const FormDialog = (props: FormDialogProps) => {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState<ReadonlySet<string>>(new Set());
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (props.change.isPending) return;
    setFields(fieldsOf(event.currentTarget));
    props.onSubmit(new FormData(event.currentTarget));
  };
  const { error } = props.change;
  // the field may be out of sight
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  const trouble = error === null ? undefined : troubleOf(error);
  const refusals = Object.groupBy(trouble?.refusals ?? [], (refusal) =>
    fields.has(fieldOf(refusal)) ? 'atField' : 'above',
  );
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      footer={
        <button className="btn primary" form={id} disabled={props.change.isPending}>
          {props.action}
        </button>
      }
    >
      <form ref={form} id={id} className="stack" onSubmit={submit}>
        {trouble === undefined ? null : (
          <TroubleNotice
            trouble={{
              ...trouble,
              refusals: refusals.above ?? [],
              ...(refusals.atField === undefined
                ? {}
                : { detail: 'Nothing was changed: look at the fields marked below.' }),
            }}
          />
        )}
        <RefusedContext value={refusals.atField ?? []}>{props.children}</RefusedContext>
      </form>
    </Dialog>
  );
};
