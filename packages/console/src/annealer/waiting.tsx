/** Why noderoles in todo are not taken up, by reason. */
import type { Annealer } from '@hostwright/api/nouns/annealer';
import { Empty } from '../ui/empty.tsx';
import { Card } from '../ui/page.tsx';

const HELD: Readonly<Record<string, string>> = {
  paused: 'their deployment is paused',
  jig: 'their jig is switched off',
  rolling: 'as many nodes as the commit allows are under work, or its canaries are not done yet',
  halted: 'the commit stopped after too many failures',
  backoff: 'they failed and are tried again later',
  consent: 'they are destructive and nobody has allowed them',
  order: 'something that is to come first on the same machine is not done',
  removing: 'their children are torn down first',
};

export const Waiting = ({ annealer }: { readonly annealer: Annealer }) => {
  const held = Object.entries(annealer.held).filter(([, count]) => count > 0);
  return (
    <Card title="Held back" flush={held.length > 0}>
      {held.length === 0 ? (
        <Empty icon="check" title="Nothing is held back" />
      ) : (
        <table className="table">
          <tbody>
            {held.map(([reason, count]) => (
              <tr key={reason}>
                <td className="num strong">{count.toLocaleString('en')}</td>
                <td>
                  <span className="badge">{reason}</span>
                </td>
                <td className="muted">{HELD[reason] ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
};
