import { setting_list, setting_put, setting_reset } from '@hostwright/api/nouns/setting';
import { listSettings, putSetting, resetSetting } from '@hostwright/engine';
import { route } from '../http/route.ts';

export const settingRoutes = () => [
  route(setting_list, async ({ context }) => ({ items: await listSettings(context.db) })),
  route(setting_put, async ({ params, body, context }) =>
    putSetting(context.db, { key: params.key, value: body.value }),
  ),
  route(setting_reset, async ({ params, context }) => {
    await resetSetting(context.db, params.key);
    return undefined;
  }),
];
