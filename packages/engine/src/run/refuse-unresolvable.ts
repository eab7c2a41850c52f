/**
 * Inputs of a batch could not be resolved. Each is tried alone, and only those that fail by
 * themselves become errors: one noderole with bad data must not stop the rest.
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import { transaction } from '../db/transaction.ts';
import type { Db } from '../db/open.ts';
import type { Pick } from './pick-work.ts';
import { resolveInputs } from '../attribs/resolve-inputs.ts';

export const refuseUnresolvable = async (db: Db, picks: readonly Pick[]): Promise<number> => {
  let refused = 0;
  for (const pick of picks) {
    try {
      await resolveInputs(db, [pick.noderoleId]);
    } catch (error) {
      const reason =
        error instanceof HostwrightError ? error.message : 'its attributes could not be resolved';
      await transaction(db, async (tx) => {
        await sql`
          update noderole set state = 'error', state_since = now(), failures = failures + 1, reason = ${`inputs: ${reason}`}
          where id = ${pick.noderoleId} and state = 'todo'`.execute(tx);
      });
      refused++;
    }
  }
  return refused;
};
