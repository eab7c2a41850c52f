import { secret_delete, secret_list, secret_put } from '@hostwright/api/nouns/secret';
import { HostwrightError } from '@hostwright/core';
import { deleteSecret, listSecrets, putSecret } from '@hostwright/engine';
import { refuse } from '../http/refuse.ts';
import { route } from '../http/route.ts';

export const secretRoutes = () => [
  route(secret_list, async ({ context }) => ({ items: await listSecrets(context.db) })),
  route(secret_put, async ({ params, body, caller, context }) => {
    const { db, master } = context;
    await putSecret(db, { name: params.secret, value: body.value, master, actor: caller.name });
    const stored = (await listSecrets(db)).find((secret) => secret.name === params.secret);
    if (stored === undefined) throw new HostwrightError('not_found');
    return stored;
  }),
  route(secret_delete, async ({ params, caller, context }) => {
    const done = await deleteSecret(context.db, { name: params.secret, actor: caller.name });
    if (!done.ok) throw refuse(done.refusals, 'in_use');
    return undefined;
  }),
];
