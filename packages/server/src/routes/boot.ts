import {
  boot_get,
  boot_intent_create,
  boot_intent_delete,
  boot_intent_list,
  boot_list,
  boot_server_list,
  boot_text,
  bootenv_get,
  bootenv_list,
} from '@hostwright/api/nouns/boot';
import {
  askBootOnce,
  listBootEnvs,
  listBoots,
  listBootServers,
  listIntents,
  needBoot,
  needBootEnv,
  readBootFiles,
  readBootTimeline,
  voidIntent,
  whatBooted,
  writeBootTimeline,
} from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { chooseFields } from '../http/fields.ts';
import { refuse } from '../http/refuse.ts';
import { rawRoute, route } from '../http/route.ts';

const recorder = [
  route(boot_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listBoots(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(boot_get, async ({ params, context }) => ({
    ...(await needBoot(context.db, params.boot)),
    timeline: await readBootTimeline(context.db, params.boot),
  })),
  rawRoute(boot_text, async ({ params, context, reply }) => {
    const boot = await needBoot(context.db, params.boot);
    const name = `boot-${boot.id}-${boot.node ?? 'stranger'}.txt`;
    const head = `boot ${boot.id} of ${boot.node ?? boot.mac ?? 'an unknown machine'}, ${boot.firmware || 'firmware unknown'}, booted ${whatBooted(boot)}\n`;
    await reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('cache-control', 'no-store')
      .send(head + writeBootTimeline(await readBootTimeline(context.db, boot.id)));
  }),
];

const intents = [
  route(boot_intent_list, async ({ query, context }) => {
    const { cursor, limit, fields, ...filter } = query;
    const page = await listIntents(context.db, { cursor, limit, filter });
    return { items: chooseFields(page.items, fields), next: page.next };
  }),
  route(boot_intent_create, async ({ params, body, context }) => {
    const done = await transaction(context.db, (tx) =>
      askBootOnce(tx, { node: params.node, ...body }),
    );
    if (!done.ok) throw refuse(done.refusals);
    return done.intent;
  }),
  route(boot_intent_delete, async ({ params, caller, context }) => {
    await transaction(context.db, (tx) =>
      voidIntent(tx, { id: params.intent, actor: caller.name }),
    );
    return undefined;
  }),
];

const served = [
  route(bootenv_list, async ({ context }) => ({ items: await listBootEnvs(context.db) })),
  route(bootenv_get, async ({ params, context }) => {
    const env = await needBootEnv(context.db, params.bootenv);
    return { ...env, files: await readBootFiles(context.db, [env.kernel, ...env.initrds]) };
  }),
  route(boot_server_list, async ({ context }) => ({ items: await listBootServers(context.db) })),
];

export const bootRoutes = () => [...recorder, ...intents, ...served];
