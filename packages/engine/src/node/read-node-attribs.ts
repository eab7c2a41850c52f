/** The declared attributes of a node itself: what the operator wished, what the machine reported, what is assumed. */
import type { JsonObject, JsonValue } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { factAt } from './facts.ts';
import { needNode } from './find.ts';

export interface NodeAttrib {
  readonly name: string;
  readonly path: string;
  readonly value: JsonValue;
  readonly layer: 'hint' | 'discovery' | 'default';
  readonly from: string;
  readonly schema: JsonObject | null;
}

export const readNodeAttribs = async (db: Db | Tx, ref: string): Promise<NodeAttrib[]> => {
  const node = await needNode(db, ref);
  const { rows } = await sql<{
    name: string;
    path: string;
    schema: JsonObject | null;
    default: JsonValue | null;
    barclamp: string;
  }>`
    select a.name, a.path, a.schema, a.default, b.name as barclamp from attrib a join barclamp b on b.id = a.barclamp_id
    where a.role_id is null and not a.secret order by a.name`.execute(db);
  return rows.map((row): NodeAttrib => {
    const { name, path, schema } = row;
    const hint = factAt(node.hint, path);
    if (hint !== undefined)
      return {
        name,
        path,
        schema,
        value: hint,
        layer: 'hint',
        from: `operator's wish for ${node.name}`,
      };
    const fact = factAt(node.discovery, path);
    if (fact !== undefined)
      return {
        name,
        path,
        schema,
        value: fact,
        layer: 'discovery',
        from: `reported by ${node.name}`,
      };
    return {
      name,
      path,
      schema,
      value: row.default,
      layer: 'default',
      from: `barclamp ${row.barclamp}`,
    };
  });
};
