/** What a read has brought so far: bones while it is under way, trouble in words, then the content. */
import type { ReactNode } from 'react';
import { Trouble } from '../shell/failure.tsx';
import { Skeleton } from './empty.tsx';

export const Loaded = <Data,>(props: {
  readonly read: { readonly data: Data | undefined; readonly error: Error | null };
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) => {
  const { data, error } = props.read;
  return (
    <>
      {error === null ? null : <Trouble error={error} />}
      {data === undefined
        ? error === null && <Skeleton lines={props.lines ?? 4} />
        : props.children(data)}
    </>
  );
};

/** The same for a page that has nothing to show without it. */
export const LoadingPage = ({ error }: { readonly error: Error | null }) => (
  <div className="page">
    <div className="page-inner">{error === null ? <Skeleton /> : <Trouble error={error} />}</div>
  </div>
);
