/**
 * Gives each statement a name, so that PostgreSQL parses and plans it once per connection: planning
 * the claim's statements anew took as long as running them. A class because pg wants one.
 */
import pg from 'pg';

const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const known = names.get(text) ?? `hw${names.size + 1}`;
  names.set(text, known);
  return known;
};

type Query = (...given: unknown[]) => unknown;

export class PreparingClient extends pg.Client {
  // pg's query has a dozen overloads; only the one Kysely calls, text and values, is changed
  override query: never = ((...given: unknown[]): unknown => {
    const [text, values, ...rest] = given;
    const original: Query = super.query;
    return typeof text === 'string' && Array.isArray(values) && values.length > 0
      ? original.call(this, { name: nameOf(text), text, values }, ...rest)
      : original.apply(this, given);
  }) as never;
}
