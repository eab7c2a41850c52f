/** The frame around every page: navigation, where you are, search, heartbeat. */
import { Link, Outlet } from '@tanstack/react-router';
import { useLiveState } from '../live/context.ts';
import { mayAs, useMe } from '../session/me.ts';
import { Icon, Mark } from '../ui/icon.tsx';
import { Toasts } from '../ui/toast.tsx';
import { CommandPalette, useCommandPalette } from './palette.tsx';
import { PAGE_GROUPS } from './pages.ts';
import { Pulse } from './pulse.tsx';
import { Crumbs, CrumbsProvider } from './crumbs.tsx';
import { UserMenu } from './user-menu.tsx';

const Navigation = () => {
  const me = useMe();
  return (
    <nav className="scroll" aria-label="Pages">
      {PAGE_GROUPS.map((group) => {
        const pages = group.pages.filter((page) => mayAs(me, page.needs));
        if (pages.length === 0) return null;
        return (
          <div key={group.title} className={group.title === '' ? '' : 'nav-group'}>
            {group.title === '' ? null : <h2>{group.title}</h2>}
            {pages.map((page) => (
              <Link key={page.to} to={page.to} className="nav-link">
                <Icon name={page.icon} />
                {page.label}
              </Link>
            ))}
          </div>
        );
      })}
    </nav>
  );
};

const OfflineBar = () => {
  const live = useLiveState();
  if (live !== 'lost') return null;
  return (
    <div className="offline-bar" role="alert">
      <Icon name="warn" /> The server does not answer. What you see is the last that was known; this
      page reconnects by itself.
    </div>
  );
};

export const Shell = () => {
  const [palette, setPalette] = useCommandPalette();
  return (
    <CrumbsProvider>
      <div className="shell">
        <a className="skip-link" href="#page">
          Skip to the page
        </a>
        <aside className="shell-nav" aria-label="Navigation">
          <Link to="/fleet" className="brand">
            <Mark /> Hostwright
          </Link>
          <Navigation />
          <UserMenu />
        </aside>
        <div className="shell-main">
          <header className="topbar">
            <Crumbs />
            <button
              className="search-button"
              aria-label="Go to… Ctrl K"
              onClick={() => setPalette(true)}
            >
              <Icon name="search" />
              <span>Go to…</span>
              <kbd>Ctrl K</kbd>
            </button>
            <Pulse />
          </header>
          <OfflineBar />
          <main className="shell-page" id="page" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
        <nav className="tabbar-phone" aria-label="Main pages">
          {PAGE_GROUPS[0]?.pages.map((page) => (
            <Link key={page.to} to={page.to}>
              <Icon name={page.icon} />
              {page.label}
            </Link>
          ))}
          <button onClick={() => setPalette(true)}>
            <Icon name="more" />
            More
          </button>
        </nav>
      </div>
      {palette ? <CommandPalette onClose={() => setPalette(false)} /> : null}
      <Toasts />
    </CrumbsProvider>
  );
};
