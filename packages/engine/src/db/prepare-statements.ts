/**
 * Gives each statement of a connection a name, so that PostgreSQL parses and plans it once: planning
 * the claim's statements anew took as long as running them. Arrays, a dozen with hundreds of elements
 * in each statement, are written here too: pg quotes every number and searches every text twice.
 */
import type pg from 'pg';

const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const known = names.get(text) ?? `hw${names.size + 1}`;
  names.set(text, known);
  return known;
};

const SPECIAL = /["\\]/;

const elementOf = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string')
    return `"${SPECIAL.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`;
  return value instanceof Date ? `"${value.toISOString()}"` : undefined;
};

/** An array as PostgreSQL reads it; what it does not know it leaves to pg. */
export const arrayLiteral = (values: readonly unknown[]): unknown => {
  let text = '';
  for (const value of values) {
    const element = elementOf(value);
    if (element === undefined) return values;
    text += text === '' ? element : `,${element}`;
  }
  return `{${text}}`;
};

type Query = (...given: unknown[]) => unknown;

/**
 * When to plan anew, in transactions of a connection: at each power of two, and then now and then. A
 * plan made while a table was empty reads all of it, for each batch, for as long as it is kept.
 */
const PLAN_AGAIN_EVERY = 4096;
const plansAgain = (transactions: number): boolean =>
  (transactions & (transactions - 1)) === 0 || transactions % PLAN_AGAIN_EVERY === 0;

export const prepareStatements = (client: pg.PoolClient): void => {
  // pg's query has a dozen overloads; only the one that Kysely calls, text and values, is changed
  const original = client.query.bind(client) as Query;
  let transactions = 0;
  const query: Query = (...given) => {
    const [text, values, ...rest] = given;
    // what it answers is of no interest; should the connection be gone, the next query says so
    if (text === 'begin' && plansAgain(++transactions)) original('discard plans', () => {});
    return typeof text === 'string' && Array.isArray(values) && values.length > 0
      ? original(
          {
            name: nameOf(text),
            text,
            values: values.map((value: unknown) =>
              Array.isArray(value) ? arrayLiteral(value) : value,
            ),
          },
          ...rest,
        )
      : original(...given);
  };
  Object.assign(client, { query });
};
