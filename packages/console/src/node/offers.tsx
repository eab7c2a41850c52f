/** Machines of deleted nodes that came again: they join only when somebody takes them back. */
import { node_adopt, node_offers } from '@hostwright/api/nouns/node-offer';
import { useQuery } from '@tanstack/react-query';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Notice } from '../ui/empty.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

export const Offers = () => {
  const { data } = useQuery(reading(node_offers, {}));
  const may = useMay('operator');
  const adopt = useChange((node: string) => send(node_adopt, { params: { node } }), {
    onSuccess: (node) => say(`${node.name} may join again`),
  });
  return (data?.items ?? []).map((offer) => (
    <Notice key={offer.id} tone="info">
      <span className="row wrap">
        <span>
          <strong>{offer.name}</strong> was deleted <TimeAgo at={offer.deletedAt} /> and its machine
          has come again{offer.serial === null ? '' : `, serial ${offer.serial}`}.
        </span>
        {may ? (
          <button
            className="btn small end"
            disabled={adopt.isPending}
            onClick={() => adopt.mutate(offer.name)}
          >
            Take it back
          </button>
        ) : null}
      </span>
    </Notice>
  ));
};
