/** Who calls, and what they may do where. */
import { HostwrightError } from '@hostwright/core';
import type { Access, AccessRole } from '@hostwright/api';
import {
  findApiToken,
  findSession,
  hashToken,
  readAncestry,
  type Db,
  type Grant,
} from '@hostwright/engine';
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

export interface Caller {
  readonly userId: number | null;
  /** As audit log and events name them. */
  readonly name: string;
  readonly role: AccessRole;
  readonly grants: readonly Grant[];
  readonly via: 'session' | 'token';
  /** The token that asks. */
  readonly tokenId: number | null;
  /** It may do less than its user. */
  readonly narrowed: boolean;
  readonly sessionId: string | null;
  readonly csrf: string | null;
  readonly expiresAt: Date | null;
}

const SESSION_COOKIE = 'hostwright_session';
/** With TLS the browser itself then refuses the cookie from any other place. */
export const cookieName = (secure: boolean): string =>
  secure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;

const RANK: Readonly<Record<Access, number>> = { anyone: 0, viewer: 1, operator: 2, admin: 3 };

export const covers = (has: AccessRole, needs: Access): boolean => RANK[has] >= RANK[needs];

const strongest = (roles: readonly AccessRole[]): AccessRole =>
  roles.reduce((best, role) => (RANK[role] > RANK[best] ? role : best), 'viewer');

/** Undefined: nobody we know. A bad token is refused, never taken for nobody. */
export const identify = async (
  db: Db,
  request: FastifyRequest,
  secure: boolean,
): Promise<Caller | undefined> => {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const token = /^Bearer ([\w-]{1,256})$/.exec(header)?.[1];
    const found = token === undefined ? undefined : await findApiToken(db, hashToken(token));
    if (found === undefined) throw new HostwrightError('unauthenticated');
    return { ...found, via: 'token', sessionId: null, csrf: null, expiresAt: null };
  }
  const sessionId = request.cookies[cookieName(secure)];
  if (sessionId === undefined || sessionId.length > 256) return undefined;
  const found = await findSession(db, hashToken(sessionId));
  return found === undefined
    ? undefined
    : { ...found, via: 'session', sessionId, tokenId: null, narrowed: false };
};

const same = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** A page of another site can make the browser send the cookie, but cannot know this token. */
export const checkCsrf = (caller: Caller, request: FastifyRequest): void => {
  if (caller.csrf === null || request.method === 'GET' || request.method === 'HEAD') return;
  const given = request.headers['x-csrf-token'];
  if (typeof given !== 'string' || !same(given, caller.csrf))
    throw new HostwrightError('forbidden', {
      message: 'the header X-CSRF-Token is missing or not that of this session',
    });
};

/** The caller's role in one deployment: a grant there or above may raise it. */
export const roleIn = async (db: Db, caller: Caller, deploymentId: number): Promise<AccessRole> => {
  if (caller.grants.length === 0) return caller.role;
  const above = new Set(await readAncestry(db, deploymentId));
  const held = caller.grants.filter((grant) => above.has(grant.deploymentId));
  return strongest([caller.role, ...held.map((grant) => grant.role)]);
};

/** For handlers that learn only from the body which deployment is meant. */
export const needRoleIn = async (
  db: Db,
  caller: Caller,
  wanted: { readonly deploymentId: number; readonly role: AccessRole },
): Promise<void> => {
  if (covers(caller.role, wanted.role)) return;
  if (!covers(await roleIn(db, caller, wanted.deploymentId), wanted.role))
    throw new HostwrightError('forbidden');
};
