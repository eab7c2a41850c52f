import { os_get } from '@hostwright/api/nouns/os';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { showFields } from '../../show-fields.ts';

export const run = async (call: Invocation): Promise<void> => {
  const os = await connect(call).call(os_get, { params: { os: call.arg('os') } });
  const { out } = call;
  out.answer(os, () => {
    showFields(out, [
      ['os', os.name],
      ['title', os.title],
      ['family', `${os.family} ${os.version}`],
      ['kind', os.kind],
      ['boots', os.bootenv],
      ['missing', os.missing.join(' ')],
      ['data', JSON.stringify(os.data)],
      ['files', os.files.map((file) => file.name).join(' ')],
    ]);
  });
};
