import { joinCommand as makeJoinCommand } from '@hostwright/agent';
import {
  system_get,
  system_health,
  system_metrics,
  system_openapi,
  system_ready,
} from '@hostwright/api/nouns/system';
import { countFleet, listWorkers, readSchemaNumber } from '@hostwright/engine';
import type { JsonObject } from '@hostwright/core';
import { describeApi } from '../openapi.ts';
import { renderMetrics } from '../metrics/metrics.ts';
import type { Context } from '../context.ts';
import { rawRoute, route } from '../http/route.ts';
import { VERSION } from '../version.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const look = async (name: string, check: () => Promise<Omit<Check, 'name'>>): Promise<Check> => {
  try {
    return { name, ...(await check()) };
  } catch {
    return { name, ok: false, detail: 'the database does not answer' };
  }
};

const readiness = async ({ db }: Pick<Context, 'db'>) => {
  const schema = await look('schema', async () => {
    const { database, program } = await readSchemaNumber(db);
    return { ok: database === program, detail: `database ${database}, program ${program}` };
  });
  const worker = await look('worker', async () => {
    const alive = (await listWorkers(db)).filter((candidate) => candidate.alive).length;
    return { ok: alive > 0, detail: `${alive} alive` };
  });
  const database: Check = {
    name: 'database',
    ok: schema.detail.startsWith('database '),
    detail: schema.detail.startsWith('database ') ? 'answers' : schema.detail,
  };
  const checks = [database, schema, worker];
  return { ready: checks.every((check) => check.ok), checks };
};

/** The command that adopts a machine. */
export const joinCommand = (context: Context, token: string): string => {
  const { tls } = context;
  return makeJoinCommand({
    url: context.url(),
    token,
    ...(tls?.caPem != null && {
      tls: { caPem: tls.caPem, certificatePem: tls.certificatePem },
    }),
  });
};

/** Printed once: the contract does not change while the process lives. */
let printed: JsonObject | undefined;
const openApi = (): JsonObject => (printed ??= describeApi() as JsonObject);

export const systemRoutes = () => [
  route(system_get, async ({ context }) => ({
    version: VERSION,
    schema: (await readSchemaNumber(context.db)).database,
    startedAt: context.startedAt,
    time: new Date(),
    url: context.url(),
    caFingerprint: context.tls?.caFingerprint ?? null,
    joinCommand: joinCommand(context, 'TOKEN'),
    ...(await countFleet(context.db)),
    simulator: context.config.simulator ?? false,
  })),
  route(system_openapi, async () => openApi()),
  route(system_health, async () => ({ status: 'ok' as const })),
  rawRoute(system_ready, async ({ context, reply }) => {
    const found = await readiness(context);
    await reply
      .code(found.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(found);
  }),
  rawRoute(system_metrics, async ({ context, reply }) => {
    await reply.type('text/plain; version=0.0.4; charset=utf-8').send(await renderMetrics(context));
  }),
];
