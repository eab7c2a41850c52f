/** A secret just made: shown this once. */
import type { ReactNode } from 'react';
import { CopyBox } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './empty.tsx';

export const ShownOnce = (props: {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) => (
  <Dialog
    title={props.title}
    onClose={props.onClose}
    footer={
      <button className="btn primary" onClick={props.onClose}>
        I have kept it
      </button>
    }
  >
    <div className="stack">
      <Notice tone="warn">It is shown this once only.</Notice>
      <CopyBox text={props.text} label={props.label} />
      {props.children}
    </div>
  </Dialog>
);
