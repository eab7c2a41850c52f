/**
 * Rescue: who may enter, and what a machine in rescue says of itself. Its host key is new in every
 * boot, so its fingerprint is told here, over TLS: whoever connects can check it.
 */
import { HostwrightError } from '@hostwright/core';
import { transaction, type Tx } from '@hostwright/engine';
import { readToken, useToken } from '../intent/token.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { isAddress, isSshKey } from '../valid.ts';
import type { BootDeps } from './deps.ts';
import { readBootSettings } from './settings.ts';

/**
 * The keys of the setting, and those the machine was last installed with, while that role is bound to
 * it: whoever had a machine that was released must not enter it when somebody else rescues it.
 */
export const readRescueKeys = async (tx: Tx, nodeId: number | null): Promise<readonly string[]> => {
  const { rescueKeys } = await readBootSettings(tx);
  const install = await tx
    .selectFrom('os_install')
    .innerJoin('noderole', 'noderole.id', 'os_install.noderole_id')
    .select('os_install.plan')
    .where('os_install.node_id', '=', nodeId)
    .orderBy('os_install.id', 'desc')
    .executeTakeFirst();
  // makeInstallPlan wrote it
  const { sshKeys } = (install?.plan ?? { sshKeys: [] }) as { readonly sshKeys: readonly string[] };
  return [...new Set([...rescueKeys, ...sshKeys])].filter(isSshKey);
};

export const reportRescueUp = async (
  deps: BootDeps,
  token: string,
  said: { readonly addresses: string; readonly fingerprint: string },
): Promise<void> =>
  transaction(deps.database.db, async (tx) => {
    const holder = await readToken(tx, token, 'rescue');
    if (holder === null) throw new HostwrightError('unauthenticated');
    if (holder.expired || !(await useToken(tx, token))) throw new HostwrightError('stale_token');
    const address = said.addresses.split(' ').find(isAddress);
    const fingerprint = /^SHA256:[A-Za-z0-9+/]{43}$/.test(said.fingerprint)
      ? said.fingerprint
      : null;
    await recordBootEvent(tx, {
      nodeId: holder.nodeId,
      mac: holder.mac,
      intentId: holder.intentId,
      kind: 'callback',
      text:
        address === undefined || fingerprint === null
          ? 'rescue is up, on its console only: no SSH key is known for it'
          : `rescue is up: ssh root@${address}, host key ${fingerprint}`,
      outcome: 'rescue',
      detail: {
        ...(address !== undefined && { address }),
        ...(fingerprint !== null && { fingerprint }),
      },
    });
  });
