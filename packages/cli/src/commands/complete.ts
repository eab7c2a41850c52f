/** Candidates for the last word, one per line. Silent about every trouble: a shell asks while one types. */
import type { Client } from '@hostwright/api';
import { findCandidates } from '../candidates.ts';
import type { Invocation } from '../invocation.ts';
import type { Completes } from '../spec.ts';
import { COMMANDS, GLOBAL_OPTIONS } from '../table/all.ts';

const MOST = 200;

type Named = Exclude<Completes, 'file' | 'folder'>;
const isPath = (of: Completes): of is 'file' | 'folder' => of === 'file' || of === 'folder';

const namesOf = async (client: Client, of: Named, typed: string): Promise<readonly string[]> => {
  const query = { limit: MOST, ...(typed !== '' && { q: typed }) };
  const name = (item: { readonly name: string }): string => item.name;
  switch (of) {
    case 'node': {
      const { node_list } = await import('@hostwright/api/nouns/node');
      return (await client.call(node_list, { query })).items.map(name);
    }
    case 'role': {
      const { role_list } = await import('@hostwright/api/nouns/role');
      return (await client.call(role_list, { query })).items.map(name);
    }
    case 'deployment': {
      const { deployment_list } = await import('@hostwright/api/nouns/deployment');
      return (await client.call(deployment_list)).items.map(name);
    }
    case 'barclamp': {
      const { barclamp_list } = await import('@hostwright/api/nouns/barclamp');
      return (await client.call(barclamp_list, { query: { limit: MOST } })).items.map(name);
    }
    default: {
      const { user_list } = await import('@hostwright/api/nouns/user');
      return (await client.call(user_list, { query: { limit: MOST } })).items.map(name);
    }
  }
};

export const run = async (call: Invocation): Promise<void> => {
  const words = call.manyArgs('words');
  const typed = words.at(-1) ?? '';
  const found = findCandidates({ commands: COMMANDS, globals: GLOBAL_OPTIONS }, words);
  const offer = async (): Promise<readonly string[]> => {
    if (found.kind === 'words') return found.words;
    const { of } = found;
    if (isPath(of)) return [];
    const { connect } = await import('../connect.ts');
    return namesOf(connect(call), of, typed);
  };
  if (found.kind === 'names' && isPath(found.of)) return call.out.raw(':files\n');
  try {
    const all = await offer();
    const matching = [...new Set(all)].filter((word) => word.startsWith(typed));
    call.out.raw(matching.map((word) => `${word}\n`).join(''));
  } catch {
    // no server, no rights: then there is nothing to offer
  }
};
