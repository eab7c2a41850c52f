/** The looks of a noderole or node: colour, mark and word, so that none relies on colour. */
import type { NoderoleState } from '@hostwright/core/noderole/state';

export type Look = NoderoleState | 'undefined' | 'down';
export const LOOKS: readonly Look[] = [
  'error',
  'blocked',
  'transition',
  'todo',
  'proposed',
  'undefined',
  'down',
  'active',
];

export const LOOK_LABEL: Readonly<Record<Look, string>> = {
  proposed: 'Proposed',
  blocked: 'Blocked',
  todo: 'To do',
  transition: 'In transition',
  active: 'Active',
  error: 'Error',
  undefined: 'Undefined',
  down: 'Not alive',
};

export const LOOK_MEANING: Readonly<Record<Look, string>> = {
  proposed: 'bound in a proposal that is not committed yet',
  blocked: 'waits for a parent that is not active',
  todo: 'may run as soon as the annealer takes it up',
  transition: 'a run is carrying it out now',
  active: 'done, and its inputs still hold',
  error: 'its last run failed; needs a retry or a change',
  undefined: 'a machine nobody has given a role yet',
  down: 'does not answer in this boot',
};

const Shape = ({ look }: { readonly look: Look }) => {
  switch (look) {
    case 'active':
      return <circle cx="8" cy="8" r="5.5" fill="currentColor" />;
    case 'error':
      return (
        <>
          <rect x="2" y="2" width="12" height="12" rx="3" fill="currentColor" />
          <path d="M5.5 5.5l5 5M10.5 5.5l-5 5" stroke="var(--surface)" strokeWidth="1.8" />
        </>
      );
    case 'transition':
      return (
        <g className="state-turn">
          <circle cx="8" cy="8" r="5.2" opacity="0.3" stroke="currentColor" strokeWidth="2.4" />
          <path d="M8 2.8A5.2 5.2 0 0 1 13.2 8" stroke="currentColor" strokeWidth="2.4" />
        </g>
      );
    case 'todo':
      return (
        <>
          <circle cx="8" cy="8" r="5.2" stroke="currentColor" strokeWidth="1.8" />
          <circle cx="8" cy="8" r="2" fill="currentColor" />
        </>
      );
    case 'blocked':
      return (
        <>
          <path d="M8 1.8l6.2 6.2L8 14.2 1.8 8z" fill="currentColor" />
          <path d="M5.5 8h5" stroke="var(--surface)" strokeWidth="1.9" />
        </>
      );
    case 'proposed':
      return (
        <circle
          cx="8"
          cy="8"
          r="5.2"
          stroke="currentColor"
          strokeWidth="1.6"
          strokeDasharray="2.4 2.1"
        />
      );
    case 'undefined':
      return (
        <>
          <path d="M8 1.8l6.2 6.2L8 14.2 1.8 8z" stroke="currentColor" strokeWidth="1.7" />
          <path
            d="M8 5.6v2.8M8 10.4v.1"
            stroke="currentColor"
            strokeWidth="1.7"
            strokeLinecap="round"
          />
        </>
      );
    case 'down':
    default:
      return (
        <>
          <circle cx="8" cy="8" r="5.2" stroke="currentColor" strokeWidth="1.6" />
          <path d="M4.4 11.6l7.2-7.2" stroke="currentColor" strokeWidth="1.6" />
        </>
      );
  }
};

export const StateMark = ({ look }: { readonly look: Look }) => (
  <svg viewBox="0 0 16 16" fill="none" aria-hidden="true" data-look={look}>
    <Shape look={look} />
  </svg>
);

export const State = ({ look, label }: { readonly look: Look; readonly label?: string }) => (
  <span className="state" data-state={look} title={LOOK_MEANING[look]}>
    <StateMark look={look} />
    {label ?? LOOK_LABEL[look]}
  </span>
);
