/** Asked before what cannot be taken back. */
import type { ReactNode } from 'react';
import { Trouble } from '../shell/failure.tsx';
import { Dialog } from './dialog.tsx';

export const Confirm = (props: {
  readonly title: string;
  readonly action: string;
  readonly pending?: boolean;
  readonly error?: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) => (
  <Dialog
    title={props.title}
    onClose={props.onClose}
    footer={
      <>
        <button className="btn quiet" onClick={props.onClose}>
          Leave it
        </button>
        <button
          className="btn primary danger"
          onClick={props.onConfirm}
          disabled={props.pending === true}
        >
          {props.action}
        </button>
      </>
    }
  >
    <div className="stack">
      {props.error === null || props.error === undefined ? null : <Trouble error={props.error} />}
      {props.children}
    </div>
  </Dialog>
);
