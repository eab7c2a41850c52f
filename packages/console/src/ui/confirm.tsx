/** Asked before what cannot be taken back. */
import type { ReactNode } from 'react';
import { Trouble } from '../shell/failure.tsx';
import type { Change } from './change.ts';
import { Dialog } from './dialog.tsx';

export const Confirm = (props: {
  readonly title: string;
  readonly action: string;
  /** What the action sends; none where it is sent without waiting. */
  readonly change?: Change;
  /** False: something is still to be chosen. */
  readonly ready?: boolean;
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
          disabled={props.change?.isPending === true || props.ready === false}
        >
          {props.action}
        </button>
      </>
    }
  >
    <div className="stack">
      {props.change?.error ? <Trouble error={props.change.error} /> : null}
      {props.children}
    </div>
  </Dialog>
);
