import { token_create, token_list, token_revoke } from '@hostwright/api/nouns/token';
import { HostwrightError } from '@hostwright/core';
import {
  createToken,
  listTokens,
  needUser,
  readToken,
  revokeToken,
  transaction,
} from '@hostwright/engine';
import { covers, type Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { route, type Call } from '../http/route.ts';
import { joinCommand } from './system.ts';

type Body = Call<typeof token_create>['body'];

const forbidden = (message: string): HostwrightError =>
  new HostwrightError('forbidden', { message });

const forApi = async (context: Context, caller: Caller, body: Extract<Body, { kind: 'api' }>) => {
  const user = body.user === undefined ? undefined : await needUser(context.db, body.user);
  if (user !== undefined && user.id !== caller.userId && !covers(caller.role, 'admin'))
    throw forbidden('only an admin makes tokens for others');
  // a token made with a narrowed token must not be wider than it
  const role = body.role ?? (user === undefined ? caller.role : user.role);
  const most = user === undefined || user.id === caller.userId ? caller.role : user.role;
  if (!covers(most, role)) throw forbidden(`a token cannot be ${role} for somebody who is ${most}`);
  const userId = user?.id ?? caller.userId;
  if (userId === null) throw forbidden('a token without a user makes no tokens');
  const wanted = {
    kind: 'api',
    name: body.name,
    userId,
    // without a narrower role it follows its user, grants included
    role: caller.via === 'session' && body.role === undefined ? null : role,
    hours: body.expiresInDays === undefined ? null : body.expiresInDays * 24,
  } as const;
  return transaction(context.db, (tx) => createToken(tx, wanted));
};

export const tokenRoutes = () => [
  route(token_list, async ({ caller, context }) => {
    const mine = covers(caller.role, 'admin') ? undefined : (caller.userId ?? -1);
    const items = await listTokens(context.db, { userId: mine });
    return { items: items.map(({ userId: _userId, ...token }) => token) };
  }),
  route(token_create, async ({ body, caller, context }) => {
    if (body.kind === 'join' && !covers(caller.role, 'operator'))
      throw forbidden('a join token needs the role operator');
    const made =
      body.kind === 'api'
        ? await forApi(context, caller, body)
        : await transaction(context.db, (tx) =>
            createToken(tx, {
              kind: 'join',
              name: body.name ?? 'join',
              userId: caller.userId,
              uses: body.uses ?? 1,
              hours: body.expiresInHours ?? 24,
            }),
          );
    const { userId: _userId, ...token } = made.token;
    return {
      ...token,
      secret: made.secret,
      command: body.kind === 'join' ? joinCommand(context, made.secret) : null,
    };
  }),
  route(token_revoke, async ({ params, caller, context }) => {
    const token = await readToken(context.db, params.token);
    if (token.userId !== caller.userId && !covers(caller.role, 'admin'))
      throw forbidden('only an admin revokes the tokens of others');
    // a narrow token that got out must not be able to lock its user's other programs out
    if (caller.narrowed && token.id !== caller.tokenId && !covers(caller.role, 'admin'))
      throw forbidden('a token that may do less than its user revokes no token but itself');
    await transaction(context.db, (tx) => revokeToken(tx, token.id));
    return undefined;
  }),
];
