/** Short answers to what a person did. Errors stay until they are put away. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly title: string;
  readonly detail: string;
}

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();
const publish = (value: readonly Toast[]): void => {
  toasts = value;
  for (const listener of listeners) listener();
};

const drop = (id: number): void => publish(toasts.filter((toast) => toast.id !== id));

export const say = (title: string, detail = ''): void => {
  const id = next++;
  publish([...toasts.slice(-3), { id, tone: 'good', title, detail }]);
  setTimeout(() => drop(id), 4500);
};

export const complain = (title: string, detail = ''): void => {
  publish([...toasts.slice(-3), { id: next++, tone: 'bad', title, detail }]);
};

export const Toasts = () => {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const box = useRef<HTMLDivElement>(null);
  // on top of dialogs too: what came last in the top layer covers what was there
  useEffect(() => {
    box.current?.hidePopover();
    if (shown.length > 0) box.current?.showPopover();
  }, [shown]);
  return (
    <div ref={box} popover="manual" className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className={`toast ${toast.tone}`}>
          <Icon name={toast.tone === 'good' ? 'check' : 'warn'} />
          <div className="grow">
            <strong>{toast.title}</strong>
            {toast.detail === '' ? null : <p>{toast.detail}</p>}
          </div>
          <button
            className="btn quiet icon small"
            aria-label="Put away"
            onClick={() => drop(toast.id)}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
};
