/** What the operator decided about strangers: key `boot` of the settings. */
import type { Db, Tx } from '@hostwright/engine';
import { isSshKey } from '../valid.ts';

export interface BootSettings {
  readonly unknownMachines: 'discovery' | 'local';
  /** Strangers that may ask within ten minutes before all of them are told to boot locally. */
  readonly strangers: number;
  /** Who may enter a machine in rescue, besides the keys it was installed with. */
  readonly rescueKeys: readonly string[];
  /** Package mirrors that are cached, by the name in their path. */
  readonly mirrors: Readonly<Record<string, string>>;
  /** What the cache of all mirrors may take of the disk. */
  readonly mirrorGigabytes: number;
}

export const readBootSettings = async (tx: Db | Tx): Promise<BootSettings> => {
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
    mirrors: Object.fromEntries(
      Object.entries(
        typeof value['mirrors'] === 'object' && value['mirrors'] !== null ? value['mirrors'] : {},
      ).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    mirrorGigabytes:
      typeof value['mirrorGigabytes'] === 'number' && value['mirrorGigabytes'] > 0
        ? value['mirrorGigabytes']
        : 50,
    rescueKeys: (Array.isArray(value['rescueKeys']) ? value['rescueKeys'] : []).filter(
      (key: unknown) => typeof key === 'string' && isSshKey(key),
    ),
  };
};
