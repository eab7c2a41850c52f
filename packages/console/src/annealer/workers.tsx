import type { Annealer } from '@hostwright/api/nouns/annealer';
import { Empty } from '../ui/empty.tsx';
import { Card } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';

export const Workers = ({ annealer }: { readonly annealer: Annealer }) => (
  <Card title="Workers" flush>
    {annealer.workers.length === 0 ? (
      <Empty icon="jig" title="No worker is alive">
        Nothing can run without one. <code>hostwright worker</code> starts one;{' '}
        <code>hostwright up</code> starts one by itself.
      </Empty>
    ) : (
      <Table
        label="Workers"
        headings={['Worker', 'State', { label: 'At once', end: true }, 'Since']}
      >
        {annealer.workers.map((worker) => (
          <tr key={worker.id}>
            <td className="strong">{worker.name}</td>
            <td>
              <span className={worker.alive ? 'badge good' : 'badge bad'}>
                {worker.alive ? (worker.draining ? 'draining' : 'alive') : 'lost'}
              </span>
            </td>
            <td className="end">{worker.concurrency}</td>
            <td className="faint">
              <TimeAgo at={worker.startedAt} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);
