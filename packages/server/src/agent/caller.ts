/** Which machine speaks, and in which boot. Whatever does not fit is refused before anything is read. */
import { HostwrightError } from '@hostwright/core';
import { hashToken, promoteNodeToken, type Db } from '@hostwright/engine';
import type { FastifyRequest } from 'fastify';
import type { PresenceBook } from './presence-book.ts';
import { BOOT_ID } from './read-body.ts';
import type { Known, TokenBook } from './token-book.ts';

export interface Caller {
  readonly nodeId: number;
  readonly name: string;
  readonly bootId: string;
}

export const bearer = (request: FastifyRequest): string => {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '')
    throw new HostwrightError('unauthenticated');
  return token;
};

const bootOf = (request: FastifyRequest): string => {
  const { boot } = request.query as { boot?: unknown };
  const said = request.headers['x-hostwright-boot'] ?? boot;
  if (typeof said !== 'string' || !BOOT_ID.test(said))
    throw new HostwrightError('bad_input', {
      refusals: [
        { code: 'bad_input', path: 'boot', message: 'the boot id is missing or malformed' },
      ],
    });
  return said;
};

export interface Callers {
  /** By token only: for hello, which is where a boot id becomes known. */
  identify(request: FastifyRequest): Promise<Known>;
  /** By token and boot id. */
  admit(request: FastifyRequest): Promise<Caller>;
}

export const createCallers = (options: {
  readonly db: Db;
  readonly tokens: TokenBook;
  readonly presence: PresenceBook;
}): Callers => {
  const { db, tokens, presence } = options;

  const identify = async (request: FastifyRequest): Promise<Known> => {
    const token = bearer(request);
    const known = await tokens.find(token);
    if (known === undefined) throw new HostwrightError('unauthenticated');
    if (known.next) {
      await promoteNodeToken(db, { nodeId: known.nodeId, hash: hashToken(token) });
      tokens.forget(known.nodeId);
    }
    return known;
  };

  const admit = async (request: FastifyRequest): Promise<Caller> => {
    const bootId = bootOf(request);
    let known = await identify(request);
    if (known.bootId !== bootId) {
      // Another server may have heard of the new boot: ask the database before refusing.
      tokens.forget(known.nodeId);
      known = await identify(request);
    }
    if (known.bootId !== bootId)
      throw new HostwrightError('stale_token', {
        message: 'this boot id is not the current one: say hello first',
      });
    presence.heard(known.nodeId);
    return { nodeId: known.nodeId, name: known.name, bootId };
  };

  return { identify, admit };
};
