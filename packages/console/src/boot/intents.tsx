/** Decisions about the next boot of a node that were not used yet. */
import { boot_intent_delete, boot_intent_list } from '@hostwright/api/nouns/boot';
import { useQuery } from '@tanstack/react-query';
import { reading, send, useChange } from '../session/client.ts';
import { Notice } from '../ui/empty.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';

export const OpenIntents = ({ node, may }: { readonly node: string; readonly may: boolean }) => {
  const { data } = useQuery(reading(boot_intent_list, { query: { node, open: true } }));
  const drop = useChange((intent: number) => send(boot_intent_delete, { params: { intent } }), {
    onSuccess: () => say('The next boot is from the local disk again'),
  });
  return (data?.items ?? []).map((intent) => (
    <Notice key={intent.id} tone="info">
      <span className="row wrap">
        <span>
          Its next boot is <strong>{intent.bootenv}</strong>, once; the decision lapses{' '}
          <TimeAgo at={intent.expiresAt} />
        </span>
        {may && intent.runId === null ? (
          <button
            className="btn small end"
            disabled={drop.isPending}
            onClick={() => drop.mutate(intent.id)}
          >
            Take it back
          </button>
        ) : null}
      </span>
    </Notice>
  ));
};
