/** What the operator decided about strangers: key `boot` of the settings. */
import type { Tx } from '@hostwright/engine';

export interface BootSettings {
  readonly unknownMachines: 'discovery' | 'local';
  /** Strangers that may ask within ten minutes before all of them are told to boot locally. */
  readonly strangers: number;
}

export const readBootSettings = async (tx: Tx): Promise<BootSettings> => {
  const row = await tx
    .selectFrom('setting')
    .select('value')
    .where('key', '=', 'boot')
    .executeTakeFirst();
  const value: Record<string, unknown> =
    typeof row?.value === 'object' && row.value !== null ? { ...row.value } : {};
  return {
    unknownMachines: value['unknownMachines'] === 'local' ? 'local' : 'discovery',
    strangers: typeof value['strangers'] === 'number' ? value['strangers'] : 5000,
  };
};
