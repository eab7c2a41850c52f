/** A modal dialog on the platform's own <dialog>: focus is kept in it and given back after it. */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly wide?: boolean;
}

export const Dialog = ({ title, onClose, children, footer, wide }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // a field that asks for it has the focus; otherwise the dialog itself, not its close button
    if (
      dialog !== null &&
      dialog.querySelector('[autofocus], input:focus, textarea:focus') === null
    )
      dialog.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={wide === true ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button className="btn quiet icon small end" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="body scroll">{children}</div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </dialog>
  );
};
