import type { Deployment } from '@hostwright/api/nouns/deployment';
import type { Paint } from '../../paint.ts';
import type { Column } from '../../table-text.ts';

export const deploymentColumns = (
  paint: Paint,
  nameOf: (item: Deployment) => string = (item) => item.name,
): readonly Column<Deployment>[] => [
  { title: 'DEPLOYMENT', cell: nameOf },
  { title: 'NODES', cell: (item) => item.nodes, right: true },
  { title: 'ACTIVE', cell: (item) => item.noderoles.active, right: true },
  { title: 'WORKING', cell: (item) => item.noderoles.transition, right: true },
  { title: 'TODO', cell: (item) => item.noderoles.todo + item.noderoles.blocked, right: true },
  {
    title: 'ERROR',
    cell: (item) => item.noderoles.error,
    right: true,
    paint: (text, item) => (item.noderoles.error > 0 ? paint('red', text) : text),
  },
  { title: 'REVISION', cell: (item) => item.committedRevision, right: true },
  {
    title: 'NOTE',
    cell: (item) =>
      [item.paused && 'paused', item.proposedSnapshotId !== null && 'proposal open']
        .filter(Boolean)
        .join(', '),
  },
];
