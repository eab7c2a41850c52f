/**
 * Gives each statement of a connection a name, so that PostgreSQL parses and plans it once: planning
 * the claim's statements anew took as long as running them.
 */
import type pg from 'pg';

const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const known = names.get(text) ?? `hw${names.size + 1}`;
  names.set(text, known);
  return known;
};

type Query = (...given: unknown[]) => unknown;

export const prepareStatements = (client: pg.PoolClient): void => {
  // pg's query has a dozen overloads; only the one that Kysely calls, text and values, is changed
  const original = client.query.bind(client) as Query;
  const query: Query = (...given) => {
    const [text, values, ...rest] = given;
    return typeof text === 'string' && Array.isArray(values) && values.length > 0
      ? original({ name: nameOf(text), text, values }, ...rest)
      : original(...given);
  };
  Object.assign(client, { query });
};
