/**
 * A person's leave to do one destructive thing once. It names the inputs as they are now; if they
 * are no longer those the person saw, nothing is granted. It outlives later commits.
 */
import { HostwrightError } from '@hostwright/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { transaction } from '../db/transaction.ts';
import { emitAll } from '../event/emit.ts';
import { resolveInputs } from '../attribs/resolve-inputs.ts';

export interface NewConsent {
  readonly noderoleId: number;
  readonly inputHash: string;
  readonly disks?: readonly string[];
  readonly planHash?: string;
}

/** For a commit that has the inputs at hand. One unused consent per noderole and inputs: the newest, of the disks as they are now. */
export const grantConsents = async (
  tx: Tx,
  options: { readonly consents: readonly NewConsent[]; readonly actor: string },
): Promise<void> => {
  const { consents, actor } = options;
  if (consents.length === 0) return;
  await sql`
    insert into consent (noderole_id, input_hash, disks, plan_hash, granted_by)
    select c.noderole_id, c.input_hash, string_to_array(c.disks, e'\n'), c.plan_hash, ${actor}::text
    from unnest(${consents.map((consent) => consent.noderoleId)}::bigint[], ${consents.map((consent) => consent.inputHash)}::text[],
      ${consents.map((consent) => (consent.disks ?? []).join('\n'))}::text[], ${consents.map((consent) => consent.planHash ?? null)}::text[])
      as c(noderole_id, input_hash, disks, plan_hash)
    on conflict (noderole_id, input_hash) where used_by_run is null do update
      set disks = excluded.disks, plan_hash = excluded.plan_hash, granted_by = excluded.granted_by, granted_at = now()`.execute(
    tx,
  );
  await sql`
    update noderole set holds = array_remove(holds, 'consent')
    where id = any(${consents.map((consent) => consent.noderoleId)}::bigint[]) and 'consent' = any(holds)`.execute(
    tx,
  );
  await emitAll(
    tx,
    consents.map((consent) => ({
      kind: 'consent.granted',
      noderoleId: consent.noderoleId,
      payload: { actor, inputHash: consent.inputHash, disks: [...(consent.disks ?? [])] },
    })),
  );
};

export const grantConsent = async (
  db: Db,
  options: {
    readonly noderoleId: number;
    /** What the person was shown; without it, whatever holds now. */
    readonly inputHash?: string;
    readonly disks?: readonly string[];
    readonly actor: string;
  },
): Promise<{ readonly inputHash: string }> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<{ destructive: boolean }>`
      select r.destructive from noderole w join role r on r.id = w.role_id where w.id = ${options.noderoleId} for update of w`.execute(
      tx,
    );
    if (rows[0] === undefined)
      throw new HostwrightError('not_found', {
        message: `there is no noderole ${options.noderoleId}`,
      });
    if (!rows[0].destructive)
      throw new HostwrightError('conflict', {
        message: 'the role is not destructive: it needs no consent',
      });
    const inputHash =
      (await resolveInputs(tx, [options.noderoleId])).get(options.noderoleId)?.inputHash ?? '';
    if (options.inputHash !== undefined && options.inputHash !== inputHash)
      throw new HostwrightError('plan_moved');
    await grantConsents(tx, {
      consents: [
        {
          noderoleId: options.noderoleId,
          inputHash,
          ...(options.disks && { disks: options.disks }),
        },
      ],
      actor: options.actor,
    });
    return { inputHash };
  });
