/** Who is signed in, and what they may do: what is not allowed is not offered. */
import { ProblemError, ROLES, type AccessRole } from '@hostwright/api';
import { session_delete, session_get, type Me } from '@hostwright/api/nouns/session';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { send, setSession } from './client.ts';

export const meQuery = queryOptions({
  queryKey: ['me'] as const,
  staleTime: 60_000,
  queryFn: async (): Promise<Me | null> => {
    try {
      const me = await send(session_get, {});
      setSession(me);
      return me;
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) return null;
      throw error;
    }
  },
});

const rank = (role: AccessRole): number => ROLES.indexOf(role);

export const mayAs = (
  me: Me | null | undefined,
  needed: AccessRole,
  deploymentIds: readonly number[] = [],
): boolean => {
  if (me === null || me === undefined) return false;
  if (rank(me.role) >= rank(needed)) return true;
  return me.grants.some(
    (grant) => deploymentIds.includes(grant.deploymentId) && rank(grant.role) >= rank(needed),
  );
};

/** `deploymentIds`: the deployment and those above it, where a grant may have been given. */
export const useMay = (needed: AccessRole, deploymentIds: readonly number[] = []): boolean => {
  const { data } = useQuery(meQuery);
  return mayAs(data, needed, deploymentIds);
};

export const useMe = (): Me | null => useQuery(meQuery).data ?? null;

/** The page is loaded anew: nothing of what was seen stays in memory. */
export const signOut = (): void => {
  void send(session_delete, {}).finally(() => location.assign('/signin'));
};

/** Where to sign in, and where to come back to afterwards. */
export const signInAddress = (): string =>
  `/signin?to=${encodeURIComponent(location.pathname + location.search)}`;

/** Only addresses of this console: `//host` and `/\\host` lead elsewhere. */
export const comeBackTo = (wanted: string | undefined, origin: string): string => {
  if (wanted === undefined || !URL.canParse(wanted, origin)) return '/fleet';
  const url = new URL(wanted, origin);
  const inside = url.origin === origin && wanted.startsWith('/') && url.pathname !== '/signin';
  return inside ? url.pathname + url.search + url.hash : '/fleet';
};
