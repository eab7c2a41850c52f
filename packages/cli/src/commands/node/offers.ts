import { node_offers } from '@hostwright/api/nouns/node-offer';
import { ago } from '../../ago.ts';
import { connect } from '../../connect.ts';
import type { Invocation } from '../../invocation.ts';

export const run = async (call: Invocation): Promise<void> => {
  const answer = await connect(call).call(node_offers);
  const { out } = call;
  out.answer(answer, () =>
    out.table(
      [
        { title: 'ID', cell: (offer) => String(offer.id) },
        { title: 'WAS', cell: (offer) => offer.name },
        { title: 'SERIAL', cell: (offer) => offer.serial ?? '' },
        { title: 'MACS', cell: (offer) => offer.macs.join(' ') },
        { title: 'DELETED', cell: (offer) => ago(offer.deletedAt) },
        { title: 'CAME', cell: (offer) => ago(offer.offeredAt) },
      ],
      answer.items,
      'no machine of a deleted node has come again',
    ),
  );
};
