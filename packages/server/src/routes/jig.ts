import { jig_get, jig_list, jig_patch } from '@hostwright/api/nouns/jig';
import { HostwrightError } from '@hostwright/core';
import { listJigs, readJigView, setJigActive } from '@hostwright/engine';
import { route } from '../http/route.ts';

export const jigRoutes = () => [
  route(jig_list, async ({ context }) => ({ items: await listJigs(context.db) })),
  route(jig_get, async (call) => {
    const jig = await readJigView(call.context.db, call.params.jig);
    call.etag(jig.revision);
    return jig;
  }),
  route(jig_patch, async (call) => {
    const { db } = call.context;
    const before = await readJigView(db, call.params.jig);
    // a switch is on or off: two who switch the same way at once agree
    if (call.ifMatch !== undefined && call.ifMatch !== before.revision)
      throw new HostwrightError('precondition_failed');
    await setJigActive(db, { jig: before.name, active: call.body.active, actor: call.caller.name });
    const jig = await readJigView(db, before.name);
    call.etag(jig.revision);
    return jig;
  }),
];
