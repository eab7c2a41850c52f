/**
 * Answers "what shall I boot?". One transaction: read the facts, decide, record. A script may be
 * asked for again (loaders do, when a packet is lost); what is used once is the seed it points to.
 */
import { transaction, type Tx } from '@hostwright/engine';
import { sql } from 'kysely';
import { issueToken } from '../intent/token.ts';
import { openIntent, useIntent } from '../intent/open-intent.ts';
import { markOfNode } from '../install/mark.ts';
import { recordBootEvent } from '../recorder/record.ts';
import { decideBoot, type BootDecision, type BootFacts } from './decide-boot.ts';
import type { BootDeps } from './deps.ts';
import { findBootNode } from './find-node.ts';
import type { BootIdentity } from './read-request.ts';
import {
  renderGrub,
  renderGrubLocal,
  renderIpxe,
  renderIpxeLocal,
  type BootScript,
} from './render-script.ts';
import { readBootSettings } from './settings.ts';

const SEED_SECONDS = 900;
/** Within ten minutes, each with its seed: no machine starts so often. */
const MOST_BOOTS = 60;
/** A script may be asked for again before its seed is fetched; older ones are worth nothing by then. */
const MOST_SEEDS = 32;
/** Environments whose kernel needs nothing of ours: used up by the script itself. */
const SEEDLESS = new Set(['memtest']);

export const readBootFacts = async (tx: Tx, identity: BootIdentity): Promise<BootFacts> => {
  const { node, contested } = await findBootNode(tx, identity);
  const settings = await readBootSettings(tx);
  if (node === null) {
    const { rows } = await sql<{ asked: number }>`
      select count(*)::int as asked from (
        select 1 from boot_intent where node_id is null and created_at > now() - interval '10 minutes' limit ${settings.strangers}) s`.execute(
      tx,
    );
    return {
      node,
      contested,
      openIntent: null,
      install: null,
      unknownMachines: settings.unknownMachines,
      flooded: (rows[0]?.asked ?? 0) >= settings.strangers,
    };
  }
  // the order of two boots of one node is decided here
  await tx.selectFrom('node').select('id').where('id', '=', node.id).forNoKeyUpdate().execute();
  const open = await tx
    .selectFrom('boot_intent')
    .select(['id', 'bootenv'])
    .where('node_id', '=', node.id)
    .where('used_at', 'is', null)
    .where('void_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  const { rows: older } = await sql<{ recent: boolean }>`
    select created_at > now() - interval '10 minutes' as recent from boot_intent
    where node_id = ${node.id} order by id desc offset ${MOST_BOOTS - 1} limit 1`.execute(tx);
  const install = await tx
    .selectFrom('os_install')
    .innerJoin('run', 'run.id', 'os_install.run_id')
    .select(['phase', 'boots', 'wipe_granted_at', sql<string>`plan->>'bootenv'`.as('bootenv')])
    .where('os_install.node_id', '=', node.id)
    .where('phase', 'not in', ['done', 'failed'])
    .where('run.status', 'in', ['running', 'waiting'])
    .executeTakeFirst();
  return {
    node,
    contested,
    openIntent: open ?? null,
    install:
      install === undefined
        ? null
        : {
            phase: install.phase,
            boots: install.boots,
            wipeGranted: install.wipe_granted_at !== null,
            bootenv: install.bootenv,
          },
    unknownMachines: settings.unknownMachines,
    flooded: older[0]?.recent === true,
  };
};

interface Answered {
  readonly decision: BootDecision;
  readonly script: BootScript | null;
  /** What the script was made for; none: the own disk. */
  readonly intentId: number | null;
}

const makeScript = async (
  tx: Tx,
  deps: BootDeps,
  wanted: {
    readonly intentId: number;
    readonly bootenv: string;
    readonly reason: string;
    readonly firmware: 'bios' | 'uefi';
  },
): Promise<BootScript | null> => {
  const env = await tx
    .selectFrom('boot_env')
    .selectAll()
    .where('name', '=', wanted.bootenv)
    .executeTakeFirst();
  if (env === undefined || env.kind === 'local') return null;
  const seedless = SEEDLESS.has(env.kind);
  await sql`
    delete from boot_token where hash in (
      select hash from boot_token where intent_id = ${wanted.intentId} and purpose = 'seed'
      order by expires_at desc offset ${MOST_SEEDS - 1})`.execute(tx);
  if (seedless && !(await useIntent(tx, wanted.intentId))) return null;
  const token = seedless
    ? null
    : await issueToken(tx, { intentId: wanted.intentId, purpose: 'seed', seconds: SEED_SECONDS });
  return {
    baseUrl: deps.bootUrl,
    kernel: wanted.firmware === 'uefi' && env.kernel_efi !== '' ? env.kernel_efi : env.kernel,
    initrds: env.initrds,
    // an installer that fetches its root file system by itself needs to know where we are
    cmdline: env.cmdline.replaceAll('{{boot_url}}', deps.bootUrl),
    program: seedless,
    seed: token === null ? null : `/boot/v1/seed/${token}/seed.cpio`,
    reason: `${wanted.bootenv}: ${wanted.reason}`,
  };
};

const carryOut = async (
  tx: Tx,
  deps: BootDeps,
  facts: BootFacts,
  identity: BootIdentity,
): Promise<Answered> => {
  const decision = decideBoot(facts);
  if (decision.kind === 'local') return { decision, script: null, intentId: null };
  const nodeId = facts.node?.id ?? null;
  // asked before, and its seed not fetched yet
  const open = facts.openIntent?.bootenv === decision.bootenv ? facts.openIntent.id : null;
  const intent =
    decision.kind === 'use' ? decision.intentId : decision.kind === 'interrupted' ? open : null;
  const answer = async (intentId: number): Promise<Answered> => {
    const { firmware } = identity;
    const script = await makeScript(tx, deps, { ...decision, intentId, firmware });
    return { decision, script, intentId: script === null ? null : intentId };
  };
  if (intent !== null) return answer(intent);
  if (nodeId === null) {
    await tx
      .updateTable('boot_intent')
      .set({ void_at: sql<Date>`now()`, void_reason: 'asked again' })
      .where('mac', '=', identity.mac)
      .where('node_id', 'is', null)
      .where('used_at', 'is', null)
      .where('void_at', 'is', null)
      .execute();
  }
  const runId =
    facts.install?.phase === 'installing' && decision.kind === 'make'
      ? await liveInstallRun(tx, nodeId)
      : null;
  const intentId = await openIntent(tx, {
    nodeId,
    mac: identity.mac,
    bootenv: decision.bootenv,
    runId,
    seconds: SEED_SECONDS,
  });
  return answer(intentId);
};

const liveInstallRun = async (tx: Tx, nodeId: number | null): Promise<number | null> => {
  const row = await tx
    .selectFrom('os_install')
    .select('run_id')
    .where('node_id', '=', nodeId)
    .where('phase', 'not in', ['done', 'failed'])
    .executeTakeFirst();
  return row?.run_id ?? null;
};

export const answerScript = async (
  deps: BootDeps,
  identity: BootIdentity,
  format: 'ipxe' | 'grub',
): Promise<string> => {
  const local = (reason: string, mark: string | null = null) =>
    format === 'ipxe' ? renderIpxeLocal(reason, identity.firmware) : renderGrubLocal(reason, mark);
  if (identity.mac === null && identity.uuid === null) return local('the request names no machine');
  const { decision, script, mark } = await transaction(deps.database.db, async (tx) => {
    const facts = await readBootFacts(tx, identity);
    const answered = await carryOut(tx, deps, facts, identity);
    const refused = answered.decision.kind === 'local' && answered.decision.refused === true;
    // a flood must not fill the recorder either: strangers that are refused leave no row
    if (!(refused && facts.flooded)) {
      await recordBootEvent(tx, {
        nodeId: facts.node?.id ?? null,
        mac: identity.mac,
        uuid: identity.uuid,
        firmware: identity.firmware,
        intentId: answered.intentId,
        kind: refused ? 'refused' : 'script',
        text: answered.script?.reason ?? `local: ${answered.decision.reason}`,
        detail: { format, loader: format },
      });
    }
    const known = answered.script === null ? facts.node : null;
    return { ...answered, mark: known === null ? null : await markOfNode(tx, known.id) };
  });
  if (script === null) return local(decision.reason, mark);
  return format === 'ipxe' ? renderIpxe(script) : renderGrub(script);
};
