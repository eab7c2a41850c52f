import { os_preview } from '@hostwright/api/nouns/os';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { Failure } from '../../failure.ts';

export const run = async (call: Invocation): Promise<void> => {
  const preview = await connect(call).call(os_preview, {
    params: { os: call.arg('os') },
    query: { node: call.arg('node') },
  });
  if (preview.refusals.length > 0 && !call.out.json)
    throw new Failure('refused', `${preview.os} cannot be installed on ${preview.node}`, {
      reasons: preview.refusals.map(({ path, message }) => `${path}: ${message}`),
    });
  const wanted = call.text('file');
  const files = preview.files.filter((file) => wanted === undefined || file.name === wanted);
  if (files.length === 0)
    throw new Failure('not_found', `${preview.os} has no file ${wanted ?? ''}`, {
      reasons: preview.files.map((file) => file.name),
    });
  call.out.answer(preview, () => {
    for (const file of files) {
      if (files.length > 1) call.out.line(call.out.paint('bold', `== ${file.name}`));
      call.out.line(file.text);
    }
  });
};
