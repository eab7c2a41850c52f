/** What stands where there is nothing yet: says what would be here and how to get it. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export const Empty = (props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) => (
  <div className="empty">
    <Icon name={props.icon} />
    <h2>{props.title}</h2>
    {props.children === undefined ? null : <p>{props.children}</p>}
    {props.actions === undefined ? null : <div className="actions">{props.actions}</div>}
  </div>
);

export const Notice = (props: {
  readonly tone: 'bad' | 'warn' | 'good' | 'info';
  readonly children: ReactNode;
}) => (
  <div className={`notice ${props.tone}`} role={props.tone === 'bad' ? 'alert' : 'note'}>
    <Icon name={props.tone === 'good' ? 'check' : props.tone === 'info' ? 'info' : 'warn'} />
    <div className="grow">{props.children}</div>
  </div>
);

export const Skeleton = ({ lines = 4 }: { readonly lines?: number }) => (
  <div className="stack" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <div
        key={line}
        className="skeleton"
        style={{ height: 14, width: `${88 - ((line * 17) % 50)}%` }}
      />
    ))}
  </div>
);
