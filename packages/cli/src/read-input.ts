/** What the operator wrote on the command line, read with an error that names the place. */
import type { JsonObject } from '@hostwright/core';
import { Failure } from './failure.ts';

export const readJsonObject = (text: string, what: string): JsonObject => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure(
      'usage',
      `${what} is not valid JSON: ${error instanceof Error ? error.message : ''}`,
      {
        advice: `write it like '{"port": 8080}'`,
      },
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('usage', `${what} must be a JSON object`);
  // parsed JSON that is an object
  return value as JsonObject;
};

export const readLabels = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at <= 0) throw new Failure('usage', `${text} is no label`, { advice: 'write key=value' });
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );

/** `2%` or `2 %` or `0.02`: a share from 0 to 1. */
export const readShare = (text: string, option: string): number => {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text);
  const value = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (!(value >= 0 && value <= 1))
    throw new Failure('usage', `--${option} takes a share such as 2%, not ${text}`);
  return value;
};

export const readStdin = async (): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
};
