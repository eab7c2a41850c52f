/** Auto, manual or drain. */
import { annealer_once, annealer_patch, type Annealer } from '@hostwright/api/nouns/annealer';
import { send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Icon } from '../ui/icon.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { say } from '../ui/toast.tsx';

export const SAID = {
  auto: 'Work is taken up as soon as it may run.',
  manual: 'Work is taken up only on demand, one pass at a time: for debugging.',
  drain: 'Nothing new is started; what runs is brought to its end.',
} as const;

export const Switch = ({ annealer }: { readonly annealer: Annealer }) => {
  const may = useMay('operator');
  const turn = useChange((mode: Annealer['mode']) => send(annealer_patch, { body: { mode } }), {
    onSuccess: (made) => say(`Annealer: ${made.mode}`, SAID[made.mode]),
  });
  const once = useChange(() => send(annealer_once, {}), {
    onSuccess: () => say('One pass asked for'),
  });
  if (!may) return <span className="badge">{annealer.mode}</span>;
  return (
    <>
      {annealer.mode === 'manual' ? (
        <button className="btn" onClick={() => once.mutate(undefined)}>
          <Icon name="play" /> One pass
        </button>
      ) : null}
      <Segmented
        label="Mode of the annealer"
        value={annealer.mode}
        options={{ auto: 'Auto', manual: 'Manual', drain: 'Drain' }}
        onChange={(mode) => turn.mutate(mode)}
      />
    </>
  );
};
