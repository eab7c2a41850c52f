/** The one cause, in a sentence, with the way to it and the command that clears it. */
import type { Why } from '@hostwright/api';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

const CauseLink = ({ cause }: { readonly cause: Why['cause'] }) => {
  if (cause === null) return null;
  if (typeof cause.runId === 'number')
    return (
      <Link className="btn small" to="/runs/$run" params={{ run: String(cause.runId) }}>
        See the log
      </Link>
    );
  if (typeof cause.noderoleId === 'number')
    return (
      <Link
        className="btn small"
        to="/noderoles/$noderole"
        params={{ noderole: String(cause.noderoleId) }}
      >
        To the cause
      </Link>
    );
  return null;
};

export const WhyLine = (props: {
  readonly sentence: string;
  readonly done: boolean;
  readonly cause: Why['cause'];
  readonly command: string | null;
  readonly children?: ReactNode;
}) => (
  <div className={props.done ? 'why done' : 'notice warn why'} role="note" aria-label="Why">
    <Icon name={props.done ? 'check' : 'info'} />
    <div className="grow">
      <span className="why-sentence">{props.sentence}</span>
      {props.children}
      {props.command === null || props.command === '' ? null : (
        <div>
          <code className="faint">{props.command}</code>
        </div>
      )}
    </div>
    {props.done ? null : <CauseLink cause={props.cause} />}
  </div>
);
