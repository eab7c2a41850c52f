/** Events in words. */
import type { Event } from '@hostwright/api/nouns/event';
import { Link } from '@tanstack/react-router';
import { role_list } from '@hostwright/api/nouns/role';
import { useQuery } from '@tanstack/react-query';
import { useFleet, useFleetVersion } from '../live/fleet-store.ts';
import { reading } from '../session/client.ts';
import { TimeAgo } from '../ui/time-ago.tsx';
import { Table } from '../ui/table.tsx';

const text = (event: Event, key: string): string => {
  const value = event.payload[key];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
};

const TOLD = [
  'alive',
  'aliveReason',
  'available',
  'bootenv',
  'bootEpoch',
  'facts',
  'labels',
  'hint',
];

export const sentenceOf = (event: Event): string => {
  const [from, to] = [text(event, 'from'), text(event, 'to')];
  if (event.kind === 'noderole.state')
    return `${from === '' ? 'came into being as' : `${from} →`} ${to}${text(event, 'reason') === '' ? '' : `: ${text(event, 'reason')}`}`;
  if (event.kind === 'run.status')
    return `${from === '' ? '' : `${from} → `}${to}${text(event, 'error') === '' ? '' : `: ${text(event, 'error')}`}`;
  if (event.kind.startsWith('boot.'))
    return `boot ${text(event, 'id')} ${event.kind === 'boot.began' ? 'began with' : 'goes on with'} ${text(event, 'seen')}`;
  const told = TOLD.filter((key) => event.payload[key] !== undefined).map(
    (key) => `${key} ${typeof event.payload[key] === 'object' ? 'changed' : text(event, key)}`,
  );
  if (told.length > 0) return told.join(', ');
  return Object.entries(event.payload)
    .filter(([, value]) => typeof value !== 'object')
    .map(([key, value]) => `${key} ${String(value as string | number | boolean)}`)
    .join(', ');
};

export const EventTable = ({ events }: { readonly events: readonly Event[] }) => {
  const { columns, deployments } = useFleet();
  useFleetVersion();
  const { data: roles } = useQuery(reading(role_list, { query: { limit: 1000 } }));
  const roleName = new Map(roles?.items.map((role) => [role.id, role.name]));
  const nodeName = (id: number | null) =>
    id === null ? undefined : columns.name[columns.at.get(id) ?? -1];
  return (
    <Table
      label="Events, newest first"
      compact
      headings={['When', 'Event', 'Node', 'Role', 'Deployment', 'What', 'Run']}
    >
      {events.map((event) => {
        const node = nodeName(event.nodeId);
        const role = roleName.get(Number(event.payload['role']));
        const deployment = deployments.get(event.deploymentId ?? 0)?.name;
        return (
          <tr key={event.id}>
            <td className="faint">
              <TimeAgo at={event.at} />
            </td>
            <td className="mono nowrap">
              {event.noderoleId === null ? (
                event.kind
              ) : (
                <Link to="/noderoles/$noderole" params={{ noderole: String(event.noderoleId) }}>
                  {event.kind}
                </Link>
              )}
            </td>
            <td>
              {node === undefined ? (
                <span className="faint">{event.nodeId ?? ''}</span>
              ) : (
                <Link className="nowrap" to="/nodes/$node" params={{ node }}>
                  {node}
                </Link>
              )}
            </td>
            <td className="nowrap">{role}</td>
            <td>
              {deployment === undefined ? (
                ''
              ) : (
                <Link to="/deployments/$deployment" params={{ deployment }}>
                  {deployment}
                </Link>
              )}
            </td>
            <td className="muted clip" title={sentenceOf(event)}>
              {sentenceOf(event)}
            </td>
            <td>
              {event.runId === null ? (
                ''
              ) : (
                <Link className="num" to="/runs/$run" params={{ run: String(event.runId) }}>
                  {event.runId}
                </Link>
              )}
            </td>
          </tr>
        );
      })}
    </Table>
  );
};
