/** Where you are, set by each page; also the title of the browser's tab. */
import { Link } from '@tanstack/react-router';
import { createContext, use, useEffect, useState, type ReactNode } from 'react';

export interface Crumb {
  readonly label: string;
  readonly to?: string;
}

const Context = createContext<{
  crumbs: readonly Crumb[];
  set: (crumbs: readonly Crumb[]) => void;
}>({
  crumbs: [],
  set: () => {},
});

export const CrumbsProvider = ({ children }: { readonly children: ReactNode }) => {
  const [crumbs, set] = useState<readonly Crumb[]>([]);
  return <Context value={{ crumbs, set }}>{children}</Context>;
};

export const useCrumbs = (...crumbs: readonly Crumb[]): void => {
  const { set } = use(Context);
  const key = crumbs.map((crumb) => crumb.label).join('\n');
  useEffect(() => {
    set(crumbs);
    document.title = `${crumbs.at(-1)?.label ?? ''} · Hostwright`;
    // the labels say everything; the array itself is new on each render
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key, set]);
};

export const Crumbs = () => {
  const { crumbs } = use(Context);
  return (
    <nav className="crumbs" aria-label="Where you are">
      {crumbs.map((crumb, at) => (
        <span key={`${at}-${crumb.label}`} className="row tight truncate">
          {at === 0 ? null : <span aria-hidden="true">/</span>}
          {crumb.to === undefined ? (
            <span className="truncate" aria-current={at === crumbs.length - 1 ? 'page' : undefined}>
              {crumb.label}
            </span>
          ) : (
            <Link to={crumb.to}>{crumb.label}</Link>
          )}
        </span>
      ))}
    </nav>
  );
};
