import { barclamp_get } from '@hostwright/api/nouns/barclamp';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const params = { barclamp: call.arg('barclamp') };
  const barclamp = await connect(call).call(barclamp_get, { params });
  call.out.answer(barclamp, () =>
    showFields(call.out, [
      ['barclamp', `${barclamp.name} ${barclamp.version}`],
      ['', barclamp.description],
      ['from', barclamp.sourcePath],
      ['imported', barclamp.importedAt],
      ['content', barclamp.contentHash],
      ['roles', barclamp.roles.join(' ')],
    ]),
  );
};
