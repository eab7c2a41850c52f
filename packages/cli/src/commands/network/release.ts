import { isIP } from 'node:net';
import { allocation_list, allocation_release } from '@hostwright/api/nouns/allocation';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';
import { Failure } from '../../failure.ts';

/** An address is what people know; its allocation is looked up. */
export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const address = call.arg('address');
  if (isIP(address) === 0)
    throw new Failure('usage', `${address} is no address`, {
      advice: '`hostwright network addresses` lists those in use',
    });
  const { items } = await client.call(allocation_list, { query: { q: address, limit: 1000 } });
  const found = items.find((item) => item.address === address);
  if (found === undefined) throw new Failure('not_found', `${address} is not in use`);
  const quarantine = call.flag('now') ? 0 : call.number('quarantine', { least: 0 });
  const answer = await client.call(allocation_release, {
    params: { allocation: found.id },
    query: quarantine === undefined ? {} : { quarantine },
  });
  call.out.answer(answer, () =>
    call.out.line(
      answer.quarantineUntil === null
        ? `${address} is free`
        : `${address} is released; nobody gets it before ${answer.quarantineUntil}`,
    ),
  );
};
