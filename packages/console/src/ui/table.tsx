/** A table as every page has it: reachable by keyboard when it scrolls sideways, headings said once. */
import type { ReactNode } from 'react';

export type Heading =
  | string
  | {
      readonly label: string;
      /** Figures stand at the right. */
      readonly end?: boolean;
      /** For screen readers only, such as the column of buttons. */
      readonly hidden?: boolean;
      /** Left out on a phone; the cells carry `wide-only` too. */
      readonly wide?: boolean;
    };

export const ACTIONS: Heading = { label: 'Actions', hidden: true };

const Cell = ({ heading }: { readonly heading: Heading }) => {
  if (typeof heading === 'string') return <th scope="col">{heading}</th>;
  const names = [heading.end === true ? 'end' : '', heading.wide === true ? 'wide-only' : ''];
  return (
    <th scope="col" className={names.join(' ').trim() || undefined}>
      {heading.hidden === true ? <span className="sr-only">{heading.label}</span> : heading.label}
    </th>
  );
};

export const Table = (props: {
  readonly label: string;
  readonly headings: readonly Heading[];
  readonly children: ReactNode;
  readonly compact?: boolean;
}) => (
  <div className="table-wrap" tabIndex={0} role="region" aria-label={props.label}>
    <table className={props.compact === true ? 'table compact' : 'table'}>
      <thead>
        <tr>
          {props.headings.map((heading) => (
            <Cell key={typeof heading === 'string' ? heading : heading.label} heading={heading} />
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  </div>
);
