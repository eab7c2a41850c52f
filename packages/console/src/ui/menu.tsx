/** A button with a menu under it, on the platform's popover: closes on Escape and outside clicks. */
import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';

export interface MenuProps {
  readonly label: string;
  readonly button: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

const move = (event: KeyboardEvent<HTMLDivElement>): void => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button, a')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items.at((at + step) % items.length)?.focus();
};

export const Menu = ({ label, button, className = 'btn', children }: MenuProps) => {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const place = () => {
    const from = trigger.current?.getBoundingClientRect();
    const to = panel.current;
    if (from === undefined || to === null || !to.matches(':popover-open')) return;
    const { width, height } = to.getBoundingClientRect();
    const below = from.bottom + 4 + height < innerHeight;
    to.style.left = `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`;
    to.style.top = `${below ? from.bottom + 4 : Math.max(8, from.top - height - 4)}px`;
    to.querySelector<HTMLElement>('button, a')?.focus();
  };
  return (
    <>
      <button
        ref={trigger}
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        // a button with words is named by them
        aria-label={className.includes('icon') ? label : undefined}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="menu"
        role="group"
        aria-label={label}
        onToggle={place}
        onKeyDown={move}
        onClick={() => panel.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
};
