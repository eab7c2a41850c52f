/** What lab tests wait for. The limits only end a test that would hang: machines are slow here. */
import { listBoots } from '@hostwright/boot';
import { missingForRack, type LabMachine } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import type { LabSite } from './site.ts';

/** The long lab: `npm run test:lab`. Each case boots machines for minutes. */
export const longLab = (): boolean =>
  process.env['HOSTWRIGHT_SUITE'] === 'lab' && missingForRack().length === 0;
export const LONG = { timeout: 1_800_000 };

const lastWords = (machine: LabMachine): string =>
  `${machine.name}; its console ends with: ${machine
    .console()
    .replaceAll(/[^\n\x20-\x7e]/g, '')
    .slice(-1500)}`;

export const explained = async <Value>(
  machine: LabMachine,
  waiting: Promise<Value>,
): Promise<Value> =>
  waiting.catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lastWords(machine)}`, { cause: error });
  });

/** Alive in discovery with its inventory; `afterBoot` = in a boot later than that one. */
export const discovered = (site: LabSite, machine: LabMachine, afterBoot = 0, limitSeconds = 900) =>
  explained(
    machine,
    eventually(
      () =>
        site.database.db
          .selectFrom('node')
          .selectAll()
          .where('system_uuid', '=', machine.uuid)
          .where('deleted_at', 'is', null)
          .where('alive', '=', true)
          .where('boot_epoch', '>', afterBoot)
          .where('discovered_at', 'is not', null)
          .executeTakeFirst(),
      { limitSeconds, what: 'the inventory' },
    ),
  );

/** The installation has ended, well or badly. */
export const settled = async (
  site: LabSite,
  machine: LabMachine,
  noderoleId: number,
): Promise<{ state: string; reason: string }> =>
  explained(
    machine,
    eventually(
      async () => {
        const row = await site.database.db
          .selectFrom('noderole')
          .select(['state', 'reason'])
          .where('id', '=', noderoleId)
          .executeTakeFirstOrThrow();
        return ['active', 'error'].includes(row.state) ? row : null;
      },
      { limitSeconds: 1200, what: 'the end of the installation' },
    ),
  );

/** The flight recorder's lines of one kind about a machine, oldest first. */
export const recorded = async (
  site: LabSite,
  machine: LabMachine,
  kind: string,
): Promise<readonly string[]> => {
  const node = await site.nodeOf(machine);
  const rows = await site.database.db
    .selectFrom('boot_event')
    .innerJoin('boot_attempt', 'boot_attempt.id', 'boot_event.attempt_id')
    .select('boot_event.text')
    .where('boot_attempt.node_id', '=', node?.id ?? 0)
    .where('boot_event.kind', '=', kind)
    .orderBy('boot_event.id')
    .execute();
  return rows.map((row) => row.text);
};

/** The boots of a node in the flight recorder, newest first. */
export const bootsOf = async (site: LabSite, nodeId: number) =>
  (await listBoots(site.database.db, { filter: { node: String(nodeId) } })).items;
