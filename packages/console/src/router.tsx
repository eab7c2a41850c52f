/** Every address of the console. What can be shared or reloaded (filters, tabs) is in the URL. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { FleetPage } from './pages/fleet.tsx';
import { SignInPage } from './pages/sign-in.tsx';
import { meQuery } from './session/me.ts';
import { Shell } from './shell/shell.tsx';
import { Failure, NotFound } from './shell/failure.tsx';
import { SignedIn } from './live/signed-in.tsx';

export interface RouterContext {
  readonly queries: QueryClient;
}

/** Search parameters are plain strings; an empty one is left out of the address. */
const strings =
  <const Keys extends readonly string[]>(...keys: Keys) =>
  (search: Record<string, unknown>): { [Key in Keys[number]]?: string | undefined } =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const value = search[key];
        return typeof value === 'string' || typeof value === 'number' ? [[key, String(value)]] : [];
      }),
    ) as { [Key in Keys[number]]?: string | undefined };

const rootRoute = createRootRouteWithContext<RouterContext>()({ notFoundComponent: NotFound });

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signin',
  validateSearch: strings('token', 'to'),
  component: SignInPage,
});

const inside = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: async ({ context, location }) => {
    const me = await context.queries.ensureQueryData(meQuery);
    if (me === null) throw redirect({ to: '/signin', search: { to: location.href } });
  },
  component: () => (
    <SignedIn>
      <Shell />
    </SignedIn>
  ),
  errorComponent: Failure,
});

const page = <const Path extends string>(path: Path) =>
  ({ getParentRoute: () => inside, path }) as const;

const routes = [
  createRoute({
    ...page('/'),
    beforeLoad: () => {
      throw redirect({ to: '/fleet' });
    },
  }),
  createRoute({
    ...page('/fleet'),
    validateSearch: strings('group', 'q', 'states', 'density', 'view'),
    component: FleetPage,
  }),
  createRoute({
    ...page('/nodes/$node'),
    validateSearch: strings('tab'),
    component: lazyRouteComponent(() => import('./pages/node.tsx'), 'NodePage'),
  }),
  createRoute({
    ...page('/deployments'),
    component: lazyRouteComponent(() => import('./pages/deployments.tsx'), 'DeploymentsPage'),
  }),
  createRoute({
    ...page('/deployments/$deployment'),
    validateSearch: strings('tab', 'from', 'to', 'role', 'node', 'q'),
    component: lazyRouteComponent(() => import('./pages/deployment.tsx'), 'DeploymentPage'),
  }),
  createRoute({
    ...page('/annealer'),
    validateSearch: strings('show'),
    component: lazyRouteComponent(() => import('./pages/annealer.tsx'), 'AnnealerPage'),
  }),
  createRoute({
    ...page('/runs/$run'),
    component: lazyRouteComponent(() => import('./pages/run.tsx'), 'RunPage'),
  }),
  createRoute({
    ...page('/noderoles/$noderole'),
    component: lazyRouteComponent(() => import('./pages/noderole.tsx'), 'NoderolePage'),
  }),
  createRoute({
    ...page('/roles'),
    validateSearch: strings('q'),
    component: lazyRouteComponent(() => import('./pages/roles.tsx'), 'RolesPage'),
  }),
  createRoute({
    ...page('/roles/$role'),
    component: lazyRouteComponent(() => import('./pages/role.tsx'), 'RolePage'),
  }),
  createRoute({
    ...page('/barclamps'),
    component: lazyRouteComponent(() => import('./pages/barclamps.tsx'), 'BarclampsPage'),
  }),
  createRoute({
    ...page('/barclamps/$barclamp'),
    component: lazyRouteComponent(() => import('./pages/barclamp.tsx'), 'BarclampPage'),
  }),
  createRoute({
    ...page('/jigs'),
    component: lazyRouteComponent(() => import('./pages/jigs.tsx'), 'JigsPage'),
  }),
  createRoute({
    ...page('/events'),
    validateSearch: strings('kind', 'node', 'deployment'),
    component: lazyRouteComponent(() => import('./pages/events.tsx'), 'EventsPage'),
  }),
  createRoute({
    ...page('/networks'),
    validateSearch: strings('view', 'q'),
    component: lazyRouteComponent(() => import('./pages/networks.tsx'), 'NetworksPage'),
  }),
  createRoute({
    ...page('/networks/$network'),
    component: lazyRouteComponent(() => import('./pages/network.tsx'), 'NetworkPage'),
  }),
  createRoute({
    ...page('/boots'),
    validateSearch: strings('tab'),
    component: lazyRouteComponent(() => import('./pages/boot.tsx'), 'BootPage'),
  }),
  createRoute({
    ...page('/boots/$boot'),
    component: lazyRouteComponent(() => import('./pages/boot-attempt.tsx'), 'BootAttemptPage'),
  }),
  createRoute({
    ...page('/bootenvs/$bootenv'),
    component: lazyRouteComponent(() => import('./pages/bootenv.tsx'), 'BootenvPage'),
  }),
  createRoute({
    ...page('/os/$os'),
    validateSearch: strings('node'),
    component: lazyRouteComponent(() => import('./pages/os.tsx'), 'OsPage'),
  }),
  createRoute({
    ...page('/groups'),
    component: lazyRouteComponent(() => import('./pages/groups.tsx'), 'GroupsPage'),
  }),
  createRoute({
    ...page('/groups/$group'),
    component: lazyRouteComponent(() => import('./pages/group.tsx'), 'GroupPage'),
  }),
  createRoute({
    ...page('/secrets'),
    component: lazyRouteComponent(() => import('./pages/secrets.tsx'), 'SecretsPage'),
  }),
  createRoute({
    ...page('/webhooks'),
    component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    ...page('/webhooks/$webhook'),
    component: lazyRouteComponent(() => import('./pages/webhook.tsx'), 'WebhookPage'),
  }),
  createRoute({
    ...page('/audit'),
    validateSearch: strings('actor', 'action', 'subject'),
    component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...page('/users'),
    component: lazyRouteComponent(() => import('./pages/users.tsx'), 'UsersPage'),
  }),
  createRoute({
    ...page('/tokens'),
    component: lazyRouteComponent(() => import('./pages/tokens.tsx'), 'TokensPage'),
  }),
  createRoute({
    ...page('/settings'),
    component: lazyRouteComponent(() => import('./pages/settings.tsx'), 'SettingsPage'),
  }),
  createRoute({
    ...page('/start'),
    component: lazyRouteComponent(() => import('./pages/start.tsx'), 'StartPage'),
  }),
] as const;

export const createConsoleRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: rootRoute.addChildren([signInRoute, inside.addChildren(routes)]),
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: Failure,
    defaultPendingMs: 150,
    scrollRestoration: false,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
