/**
 * The seed: the one secret thing a booting machine gets, once. It holds the CA, the server's address
 * and a one-time token, so that nothing secret stands on a kernel command line.
 */
import { HostwrightError } from '@hostwright/core';
import { transaction, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { beginInstaller } from '../install/begin-installer.ts';
import { readInstall } from '../install/callbacks.ts';
import { interruptCutOff } from '../install/interrupt.ts';
import { hashToken, issueToken, readToken, useToken, type TokenHolder } from '../intent/token.ts';
import { useIntent } from '../intent/open-intent.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { answerFiles } from './answer-files.ts';
import { readRescueKeys } from './answer-rescue.ts';
import { writeCpio, type SeedFile } from './cpio.ts';
import type { BootDeps } from './deps.ts';
import { randomBytes } from 'node:crypto';

const JOIN_SECONDS = 1800;

/** A join token for the machine of one boot, good for one join. */
export const issueJoinToken = async (
  tx: Tx,
  options: { readonly name: string; readonly intentId: number; readonly seconds: number },
): Promise<string> => {
  const token = `hwj_${randomBytes(32).toString('base64url')}`;
  await tx
    .insertInto('token')
    .values({
      kind: 'join',
      name: options.name,
      hash: hashToken(token),
      uses_left: 1,
      boot_intent_id: options.intentId,
      expires_at: sql<Date>`now() + ${options.seconds} * interval '1 second'`,
    })
    .execute();
  return token;
};

const seedFiles = async (tx: Tx, deps: BootDeps, holder: TokenHolder): Promise<SeedFile[]> => {
  const common = [`url=${deps.serverUrl}`, `boot_url=${deps.bootUrl}`];
  const seed = (lines: readonly string[]): SeedFile[] => [
    { path: 'etc/hostwright/seed', mode: 0o600, content: `${lines.join('\n')}\n` },
    { path: 'etc/hostwright/ca.pem', mode: 0o644, content: deps.caPem },
  ];
  if (holder.bootenv === 'rescue') {
    // this one boot only: from here on its own disk again
    if (holder.nodeId !== null)
      await tx
        .updateTable('node')
        .set({ bootenv: 'local' })
        .where('id', '=', holder.nodeId)
        .where('bootenv', '=', 'rescue')
        .execute();
    // no join token: an agent that ran here would be given the node's roles to run
    const rescue = await issueToken(tx, {
      intentId: holder.intentId,
      purpose: 'rescue',
      seconds: JOIN_SECONDS,
    });
    const keys = await readRescueKeys(tx, holder.nodeId);
    return [
      ...seed(['mode=rescue', ...common, `rescue=${rescue}`]),
      {
        path: 'etc/hostwright/authorized_keys',
        mode: 0o600,
        content: keys.map((key) => `${key}\n`).join(''),
      },
    ];
  }
  if (holder.runId === null) {
    if (holder.nodeId !== null) await interruptCutOff(tx, holder.nodeId);
    const join = await issueJoinToken(tx, {
      name: `boot ${holder.intentId}`,
      intentId: holder.intentId,
      seconds: JOIN_SECONDS,
    });
    return seed(['mode=discovery', ...common, `join=${join}`]);
  }
  const { seconds } = await beginInstaller(tx, { runId: holder.runId, intentId: holder.intentId });
  const token = await issueToken(tx, { intentId: holder.intentId, purpose: 'installer', seconds });
  const install = await readInstall(tx, token);
  return [
    ...seed(['mode=install', ...common, `install=${token}`]),
    ...(await answerFiles(tx, { install, deps, token })),
  ];
};

export const answerSeed = async (deps: BootDeps, token: string): Promise<Buffer> => {
  const seed = await transaction(deps.database.db, async (tx) => {
    const holder = await readToken(tx, token, 'seed');
    if (holder === null) throw new HostwrightError('not_found');
    const about = { nodeId: holder.nodeId, mac: holder.mac, intentId: holder.intentId };
    if (!(await useToken(tx, token)) || !(await useIntent(tx, holder.intentId))) {
      await recordBootEvent(tx, {
        ...about,
        kind: 'refused',
        text: 'a seed was asked for that is used, void or expired',
      });
      // returned, not thrown: the refusal must stay in the recorder
      return null;
    }
    const files = await seedFiles(tx, deps, holder);
    await recordBootEvent(tx, {
      ...about,
      kind: 'file',
      text: `seed for ${holder.bootenv} handed out; the intent is used`,
    });
    return writeCpio(files);
  });
  if (seed === null) throw new HostwrightError('stale_token');
  return seed;
};
