/** The addresses of a network in use, reserved or in quarantine. */
import {
  allocation_list,
  allocation_release,
  type Allocation,
} from '@hostwright/api/nouns/allocation';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { send, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import { say } from '../ui/toast.tsx';
import { MoreButton } from '../ui/more-button.tsx';

const TONE = { held: 'badge good', reserved: 'badge info', quarantined: 'badge warn' } as const;

const Release = (props: { readonly allocation: Allocation; readonly onClose: () => void }) => {
  const { allocation } = props;
  const release = useChange(
    () => send(allocation_release, { params: { allocation: allocation.id } }),
    {
      quiet: true,
      onSuccess: (done) => {
        say(
          `${done.address} given back`,
          done.quarantineUntil === null ? 'It is free now.' : 'It rests for a while first.',
        );
        props.onClose();
      },
    },
  );
  return (
    <Confirm
      title={`Release ${allocation.address}?`}
      action="Release"
      change={release}
      onConfirm={() => release.mutate(undefined)}
      onClose={props.onClose}
    >
      <p className="muted">
        {allocation.node === null
          ? 'It may then be given to a node.'
          : `${allocation.node} loses it in DHCP and DNS at once; what it has configured stays until it is configured again.`}
      </p>
    </Confirm>
  );
};

const Row = (props: {
  readonly allocation: Allocation;
  readonly mayEdit: boolean;
  readonly onRelease: () => void;
}) => {
  const { allocation } = props;
  return (
    <tr>
      <td className="mono strong">{allocation.address}</td>
      <td>
        <span className={TONE[allocation.state]}>{allocation.state}</span>
      </td>
      <td>
        {allocation.node === null ? (
          <span className="muted">{allocation.note}</span>
        ) : (
          <Link to="/nodes/$node" params={{ node: allocation.node }}>
            {allocation.node}
          </Link>
        )}
      </td>
      <td className="muted wide-only">{allocation.range}</td>
      <td className="muted clip wide-only" title={allocation.names.join(', ')}>
        {allocation.names.join(', ')}
      </td>
      <td className="faint">
        {allocation.quarantineUntil === null ? (
          <TimeAgo at={allocation.createdAt} />
        ) : (
          <>
            free <TimeAgo at={allocation.quarantineUntil} />
          </>
        )}
      </td>
      {props.mayEdit ? (
        <td>
          <span className="actions">
            {allocation.state === 'quarantined' ? null : (
              <button
                className="btn quiet small"
                aria-label={`Release ${allocation.address}`}
                onClick={props.onRelease}
              >
                Release
              </button>
            )}
          </span>
        </td>
      ) : null}
    </tr>
  );
};

export const AddressTable = (props: {
  readonly network: string;
  readonly mayEdit: boolean;
  readonly search: string;
}) => {
  const [releasing, setReleasing] = useState<Allocation>();
  const addresses = useInfiniteQuery({
    queryKey: [allocation_list.id, props.network, props.search],
    queryFn: ({ pageParam }) =>
      send(allocation_list, {
        query: {
          network: props.network,
          limit: 100,
          ...(props.search === '' ? {} : { q: props.search }),
          ...(pageParam === '' ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next ?? undefined,
  });
  return (
    <Loaded read={addresses}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return (
            <Empty
              icon="network"
              title={props.search === '' ? 'No address is taken' : 'No address matches'}
            >
              {props.search === ''
                ? 'Nodes get theirs when a role that needs this network is bound to them.'
                : 'The search takes the beginning of an address, or a part of a node or a note.'}
            </Empty>
          );
        return (
          <>
            <Table
              label="Addresses"
              compact
              headings={[
                'Address',
                'State',
                'For',
                { label: 'Range', wide: true },
                { label: 'DNS names', wide: true },
                'Since',
                ...(props.mayEdit ? [ACTIONS] : []),
              ]}
            >
              {items.map((allocation) => (
                <Row
                  key={allocation.id}
                  allocation={allocation}
                  mayEdit={props.mayEdit}
                  onRelease={() => setReleasing(allocation)}
                />
              ))}
            </Table>
            <MoreButton list={addresses} label="More" />
            {releasing === undefined ? null : (
              <Release allocation={releasing} onClose={() => setReleasing(undefined)} />
            )}
          </>
        );
      }}
    </Loaded>
  );
};
