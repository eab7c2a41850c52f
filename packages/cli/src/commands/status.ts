import { annealer_get } from '@hostwright/api/nouns/annealer';
import { deployment_list } from '@hostwright/api/nouns/deployment';
import { system_get } from '@hostwright/api/nouns/system';
import { ago } from '../ago.ts';
import { connect } from '../connect.ts';
import type { Invocation } from '../invocation.ts';
import { showFields } from '../show-fields.ts';
import { deploymentColumns } from './deployment/columns.ts';

export const run = async (call: Invocation): Promise<void> => {
  const client = connect(call);
  const [system, annealer, deployments] = await Promise.all([
    client.call(system_get),
    client.call(annealer_get),
    client.call(deployment_list),
  ]);
  const { out } = call;
  out.answer({ system, annealer, deployments: deployments.items }, () => {
    const alive = annealer.workers.filter((worker) => worker.alive);
    showFields(out, [
      ['server', `${system.url}, version ${system.version}, up for ${ago(system.startedAt)}`],
      ['nodes', `${system.nodes}${system.simulator ? ' (a simulated rack runs too)' : ''}`],
      ['noderoles', system.noderoles],
      [
        'annealer',
        `${annealer.mode}, ${alive.length} worker${alive.length === 1 ? '' : 's'}, ${annealer.ready} ready to run`,
      ],
      [
        'runs',
        Object.entries(annealer.runs)
          .filter(([, count]) => count > 0)
          .map(([status, count]) => `${count} ${status}`)
          .join(', '),
      ],
    ]);
    out.line();
    out.table(
      deploymentColumns(out.paint, (item) => `${'  '.repeat(item.depth)}${item.name}`),
      deployments.items,
      'no deployments',
    );
  });
};
