/**
 * What an operator may decide about the next boot of a node. Never an installer: only a run of
 * provisioner-os-install, which has its consent, opens one of those (invariant 6).
 */
import { HostwrightError, type Refusal } from '@hostwright/core';
import { needNode, type Tx } from '@hostwright/engine';
import { listBootEnvs } from '../boot/list-envs.ts';
import { needIntent, type IntentView } from './list-intents.ts';
import { openIntent } from './open-intent.ts';

export type AskedOnce =
  | { readonly ok: true; readonly intent: IntentView }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const refuse = (code: string, path: string, message: string): AskedOnce => ({
  ok: false,
  refusals: [{ code, path, message }],
});

export const askBootOnce = async (
  tx: Tx,
  options: {
    readonly node: string;
    readonly bootenv: string;
    readonly seconds?: number | undefined;
  },
): Promise<AskedOnce> => {
  const node = await needNode(tx, options.node);
  const [env] = await listBootEnvs(tx, options.bootenv);
  if (env === undefined)
    return refuse('bad_input', 'bootenv', `there is no boot environment ${options.bootenv}`);
  if (env.kind === 'install')
    return refuse(
      'conflict',
      'bootenv',
      'an installer is booted by the role provisioner-os-install only, which asks for consent',
    );
  // its loader would be told to fetch what is not there, and the machine would stop before its disk
  if (!env.bootable)
    return refuse(
      'conflict',
      'bootenv',
      `${options.bootenv} cannot be booted: ${env.missing.join(', ')} is missing`,
    );
  const install = await tx
    .selectFrom('os_install')
    .select('phase')
    .where('node_id', '=', node.id)
    .where('phase', 'not in', ['done', 'failed'])
    .executeTakeFirst();
  if (install !== undefined)
    return refuse('conflict', 'node', `an installation is under way (phase ${install.phase})`);
  const id = await openIntent(tx, {
    nodeId: node.id,
    bootenv: options.bootenv,
    seconds: options.seconds ?? 3600,
  });
  return { ok: true, intent: await needIntent(tx, id) };
};

export const voidIntent = async (
  tx: Tx,
  options: { readonly id: number; readonly actor: string },
): Promise<void> => {
  await tx
    .selectFrom('boot_intent')
    .select('id')
    .where('id', '=', options.id)
    .forUpdate()
    .execute();
  const intent = await needIntent(tx, options.id);
  if (intent.state !== 'open')
    throw new HostwrightError('conflict', { message: `the boot intent is ${intent.state}` });
  if (intent.runId !== null)
    throw new HostwrightError('conflict', {
      message: `run ${intent.runId} made it: cancel that run instead`,
    });
  await tx
    .updateTable('boot_intent')
    .set({ void_at: new Date(), void_reason: `voided by ${options.actor}` })
    .where('id', '=', options.id)
    .execute();
};
