import { node_patch } from '@hostwright/api/nouns/node';
import { connect } from '../../connect.ts';
import { Failure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';

const readChange = (text: string): readonly [string, string | null] => {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  if (at < 0 && text.endsWith('-') && text.length > 1) return [text.slice(0, -1), null];
  throw new Failure('usage', `${text} is no label`, {
    advice: 'write key=value to set one, key- to take it off',
  });
};

export const run = async (call: Invocation): Promise<void> => {
  const labels = Object.fromEntries(call.manyArgs('labels').map(readChange));
  const node = await connect(call).call(node_patch, {
    params: { node: call.arg('node') },
    body: { labels },
  });
  call.out.answer(node, () =>
    call.out.line(
      `${node.name}: ${
        Object.entries(node.labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ') || 'no labels'
      }`,
    ),
  );
};
