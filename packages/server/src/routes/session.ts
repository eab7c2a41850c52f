import { HostwrightError } from '@hostwright/core';
import {
  session_create,
  session_delete,
  session_get,
  session_link_create,
  session_link_use,
  session_password,
} from '@hostwright/api/nouns/session';
import {
  closeSession,
  createSigninLink,
  findSession,
  findSignIn,
  hashToken,
  needUser,
  openSession,
  transaction,
  updateUser,
  useSigninLink,
  writeAudit,
} from '@hostwright/engine';
import type { FastifyReply } from 'fastify';
import { createAttempts } from '../access/attempts.ts';
import { cookieName, type Caller } from '../access/caller.ts';
import { checkPassword, hashPassword } from '../access/password.ts';
import { DEFAULTS } from '../config.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';

const setCookie = (context: Context, reply: FastifyReply, value: string, expires: Date): void => {
  const secure = context.tls !== undefined;
  void reply.setCookie(cookieName(secure), value, {
    path: '/',
    httpOnly: true,
    secure,
    sameSite: 'strict',
    expires,
  });
};

const signIn = async (context: Context, reply: FastifyReply, userId: number) => {
  const { opened, found } = await transaction(context.db, async (tx) => {
    const made = await openSession(tx, {
      userId,
      hours: context.config.sessionHours ?? DEFAULTS.sessionHours,
    });
    const user = await findSession(tx, hashToken(made.id));
    if (user === undefined) throw new HostwrightError('unauthenticated');
    await writeAudit(tx, {
      actor: user.name,
      action: 'session_create',
      subject: '',
      detail: { ip: reply.request.ip },
    });
    return { opened: made, found: user };
  });
  setCookie(context, reply, opened.id, opened.expiresAt);
  return meOf({ ...found, via: 'session', sessionId: opened.id, tokenId: null, narrowed: false });
};

const meOf = (caller: Caller) => ({
  userId: caller.userId,
  name: caller.name,
  role: caller.role,
  grants: [...caller.grants],
  via: caller.via,
  csrf: caller.csrf,
  expiresAt: caller.expiresAt,
});

export const sessionRoutes = (attempts = createAttempts()) => [
  route(session_create, async ({ body, context, request, reply }) => {
    attempts.begin(body.name, request.ip);
    const user = await findSignIn(context.db, body.name);
    if (!(await checkPassword(body.password, user?.passwordHash ?? null)) || user === undefined) {
      request.log.warn({ name: body.name, ip: request.ip }, 'sign-in refused');
      throw new HostwrightError('unauthenticated', { message: 'name or password is wrong' });
    }
    attempts.succeeded(body.name, request.ip);
    return signIn(context, reply, user.id);
  }),
  route(session_link_use, async ({ body, context, request, reply }) => {
    attempts.begin('a link', request.ip);
    const userId = await useSigninLink(context.db, body.token);
    if (userId === undefined)
      throw new HostwrightError('unauthenticated', {
        message: 'this sign-in link was used before or has expired; ask for a new one',
      });
    attempts.succeeded('a link', request.ip);
    return signIn(context, reply, userId);
  }),
  route(session_get, async ({ caller }) => meOf(caller)),
  route(session_delete, async ({ caller, context, reply }) => {
    const { sessionId } = caller;
    if (sessionId !== null) await transaction(context.db, (tx) => closeSession(tx, sessionId));
    setCookie(context, reply, '', new Date(0));
    return undefined;
  }),
  route(session_password, async ({ body, caller, context, request }) => {
    if (caller.userId === null)
      throw new HostwrightError('conflict', { message: 'a token has no password' });
    const user = await findSignIn(context.db, caller.name);
    // a token may be narrower than its user: it must not become a way to sign in as them
    if (user?.passwordHash === null && caller.via !== 'session')
      throw new HostwrightError('forbidden', {
        message: 'a first password is set by one who has signed in, not with a token',
      });
    if (user?.passwordHash !== null) {
      attempts.begin(caller.name, request.ip);
      if (!(await checkPassword(body.current ?? '', user?.passwordHash ?? null)))
        throw new HostwrightError('refused', {
          refusals: [
            { code: 'refused', path: 'body/current', message: 'this is not the current password' },
          ],
        });
      attempts.succeeded(caller.name, request.ip);
    }
    const passwordHash = await hashPassword(body.password);
    await updateUser(context.db, {
      user: String(caller.userId),
      passwordHash,
      keepSession: caller.sessionId ?? undefined,
    });
    return undefined;
  }),
  route(session_link_create, async ({ body, context }) => {
    const user = await needUser(context.db, body.user);
    const link = await transaction(context.db, (tx) => createSigninLink(tx, { userId: user.id }));
    return {
      url: `${context.url()}/signin#token=${link.token}`,
      token: link.token,
      expiresAt: link.expiresAt,
    };
  }),
];
