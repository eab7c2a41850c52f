/** A dialog that is a form: what went wrong stands above the fields, one button sends it, once. */
import { useId, type FormEvent, type ReactNode } from 'react';
import { Trouble } from '../shell/failure.tsx';
import type { Change } from './change.ts';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly action: string;
  readonly change: Change;
  readonly onClose: () => void;
  readonly onSubmit: (form: FormData) => void;
  readonly children: ReactNode;
}

export const FormDialog = (props: FormDialogProps) => {
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!props.change.isPending) props.onSubmit(new FormData(event.currentTarget));
  };
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
      <form id={id} className="stack" onSubmit={submit}>
        {props.change.error === null ? null : <Trouble error={props.change.error} />}
        {props.children}
      </form>
    </Dialog>
  );
};
