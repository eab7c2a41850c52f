/** The usual page: a heading, a sentence of what it is, actions, content. */
import type { ReactNode } from 'react';

export const Page = (props: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}) => (
  <div className="page scroll" tabIndex={-1}>
    <div className="page-inner">
      <header className="page-head">
        <div>
          <h1>{props.title}</h1>
          {props.lead === undefined ? null : <p>{props.lead}</p>}
        </div>
        {props.actions === undefined ? null : <div className="actions">{props.actions}</div>}
      </header>
      <div className="stack loose">{props.children}</div>
    </div>
  </div>
);

export const Card = (props: {
  readonly title?: string;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
  readonly flush?: boolean;
}) => (
  <section className="card">
    {props.title === undefined ? null : (
      <header>
        <h2 className="grow">{props.title}</h2>
        {props.extra}
      </header>
    )}
    {props.flush === true ? props.children : <div className="body">{props.children}</div>}
  </section>
);
