/** Carries a request with an Idempotency-Key out once, and answers repeats as the first time. */
import { HostwrightError } from '@hostwright/core';
import { answerKey, claimKey, releaseKey } from '@hostwright/engine';
import type { FastifyReply } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { asHostwrightError, problemOf } from './problem.ts';

const PLAIN_KEY = /^[\w.:-]{1,128}$/;

export const once = async (options: {
  readonly context: Context;
  readonly caller: Caller;
  readonly key: string;
  readonly requestHash: Buffer;
  readonly reply: FastifyReply;
  readonly act: () => Promise<{ readonly status: number; readonly answer: unknown }>;
}): Promise<FastifyReply> => {
  const { reply } = options;
  const { db } = options.context;
  if (!PLAIN_KEY.test(options.key))
    throw new HostwrightError('bad_input', {
      refusals: [
        {
          code: 'bad_input',
          path: 'header/idempotency-key',
          message: '1 to 128 letters, digits, _ . : -',
        },
      ],
    });
  const key = { actor: options.caller.name, key: options.key };
  const send = (status: number, text: string) =>
    text === ''
      ? reply.code(status).send()
      : reply
          .code(status)
          .type(status >= 400 ? 'application/problem+json' : 'application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(text);
  const claim = await claimKey(db, { ...key, requestHash: options.requestHash });
  if (claim.kind === 'answered') {
    void reply.header('idempotent-replay', 'true');
    return send(claim.status, claim.answer);
  }
  if (claim.kind === 'other_request')
    throw new HostwrightError('conflict', {
      message: 'this idempotency key was used for another request',
      refusals: [
        { code: 'conflict', path: 'header/idempotency-key', message: 'used for another request' },
      ],
    });
  if (claim.kind === 'under_way')
    throw new HostwrightError('conflict', {
      message: 'the first request with this idempotency key is still under way',
    });
  try {
    const { status, answer } = await options.act();
    const text = answer === undefined ? '' : JSON.stringify(answer);
    await answerKey(db, { ...key, status, answer: text });
    return await send(status, text);
  } catch (error) {
    const known = asHostwrightError(error);
    // a refusal is an answer; a failure inside may be tried again
    if (known.status < 500) {
      const problem = problemOf(known, reply.request);
      await answerKey(db, { ...key, status: known.status, answer: JSON.stringify(problem) });
    } else await releaseKey(db, key);
    throw error;
  }
};
