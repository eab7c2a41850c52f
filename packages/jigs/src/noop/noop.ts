/** Does nothing, and succeeds: for roles that only order others, and for milestones. */
import type { Jig } from '@hostwright/engine';

export const noopJig: Jig = {
  name: 'noop',
  description: 'does nothing; for milestones and ordering',
  run: (handle) => {
    handle.log('nothing to do', 'jig');
    return Promise.resolve({ kind: 'succeeded' });
  },
};
