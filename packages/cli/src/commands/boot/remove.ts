import { boot_file_delete } from '@hostwright/api/nouns/boot-file';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const path = call.arg('path');
  await connect(call).call(boot_file_delete, { query: { path } });
  call.out.answer({ removed: path }, () => call.out.line(`${path} is not served any more`));
};
