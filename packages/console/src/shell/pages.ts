/** The pages of the side navigation and of the command palette, in one place. */
import type { AccessRole } from '@hostwright/api';
import type { IconName } from '../ui/icon.tsx';

export interface PageLink {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly needs: AccessRole;
}

export const PAGE_GROUPS: readonly {
  readonly title: string;
  readonly pages: readonly PageLink[];
}[] = [
  {
    title: '',
    pages: [
      { to: '/fleet', label: 'Fleet', icon: 'fleet', needs: 'viewer' },
      { to: '/deployments', label: 'Deployments', icon: 'deployment', needs: 'viewer' },
      { to: '/annealer', label: 'Annealer', icon: 'annealer', needs: 'viewer' },
      { to: '/events', label: 'Events', icon: 'event', needs: 'viewer' },
    ],
  },
  {
    title: 'Machines',
    pages: [
      { to: '/networks', label: 'Networks', icon: 'network', needs: 'viewer' },
      { to: '/boots', label: 'Boot', icon: 'boot', needs: 'viewer' },
      { to: '/groups', label: 'Groups', icon: 'group', needs: 'viewer' },
    ],
  },
  {
    title: 'Content',
    pages: [
      { to: '/roles', label: 'Roles', icon: 'role', needs: 'viewer' },
      { to: '/barclamps', label: 'Barclamps', icon: 'barclamp', needs: 'viewer' },
      { to: '/jigs', label: 'Jigs', icon: 'jig', needs: 'viewer' },
    ],
  },
  {
    title: 'Administration',
    pages: [
      { to: '/users', label: 'Users', icon: 'user', needs: 'admin' },
      { to: '/secrets', label: 'Secrets', icon: 'secret', needs: 'operator' },
      { to: '/webhooks', label: 'Webhooks', icon: 'webhook', needs: 'admin' },
      { to: '/audit', label: 'Audit', icon: 'audit', needs: 'admin' },
      { to: '/tokens', label: 'Tokens', icon: 'token', needs: 'viewer' },
      { to: '/settings', label: 'Settings', icon: 'settings', needs: 'viewer' },
      { to: '/start', label: 'Getting started', icon: 'start', needs: 'viewer' },
    ],
  },
];
