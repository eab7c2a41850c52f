/** The ranges of a network: how full each is, and what may be done to it. */
import type { Network } from '@hostwright/api/nouns/network';
import { network_range_delete } from '@hostwright/api/nouns/network-range';
import { useState } from 'react';
import { send, unchanged, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Card } from '../ui/page.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { AddRange, EditRange } from './range-form.tsx';
import { Usage, type Range } from './usage.tsx';

interface Doing {
  readonly what: 'edit' | 'remove';
  readonly range: Range;
}

const RemoveRange = (props: {
  readonly network: Network;
  readonly range: Range;
  readonly onClose: () => void;
}) => {
  const { network, range } = props;
  const remove = useChange(
    () =>
      send(
        network_range_delete,
        { params: { network: network.name, range: range.name } },
        unchanged(network),
      ),
    { quiet: true, onSuccess: props.onClose },
  );
  return (
    <Confirm
      title={`Take the range ${range.name} away?`}
      action="Take it away"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={props.onClose}
    >
      <p className="muted">
        {range.first} to {range.last} will be given to nobody. Refused while addresses of it are
        held or reserved.
      </p>
    </Confirm>
  );
};

const RangeRow = (props: {
  readonly range: Range;
  readonly mayEdit: boolean;
  readonly onDo: (doing: Doing) => void;
}) => {
  const { range } = props;
  return (
    <tr>
      <td className="strong">{range.name}</td>
      <td>
        <span className="badge">{range.kind}</span>
      </td>
      <td className="mono wide-only">{range.subnet}</td>
      <td className="mono">
        {range.first} to {range.last}
      </td>
      <td className="usage-cell">
        <Usage range={range} />
      </td>
      {props.mayEdit ? (
        <td>
          <span className="actions">
            <button
              className="btn quiet icon small"
              aria-label={`Change the range ${range.name}`}
              onClick={() => props.onDo({ what: 'edit', range })}
            >
              <Icon name="edit" />
            </button>
            <button
              className="btn quiet icon small"
              aria-label={`Take the range ${range.name} away`}
              onClick={() => props.onDo({ what: 'remove', range })}
            >
              <Icon name="trash" />
            </button>
          </span>
        </td>
      ) : null}
    </tr>
  );
};

export const Ranges = ({
  network,
  mayEdit,
}: {
  readonly network: Network;
  readonly mayEdit: boolean;
}) => {
  const [doing, setDoing] = useState<Doing | 'add'>();
  const close = () => setDoing(undefined);
  return (
    <Card
      title="Ranges"
      flush
      extra={
        mayEdit ? (
          <button className="btn small" onClick={() => setDoing('add')}>
            <Icon name="plus" /> Add a range
          </button>
        ) : undefined
      }
    >
      {network.ranges.length === 0 ? (
        <Empty icon="network" title="No range yet">
          A range says which addresses may be given out, and to whom.
        </Empty>
      ) : (
        <Table
          label="Ranges"
          headings={[
            'Name',
            'For',
            { label: 'Subnet', wide: true },
            'Addresses',
            'Taken',
            ...(mayEdit ? [ACTIONS] : []),
          ]}
        >
          {network.ranges.map((range) => (
            <RangeRow key={range.id} range={range} mayEdit={mayEdit} onDo={setDoing} />
          ))}
        </Table>
      )}
      {doing === 'add' ? <AddRange network={network} onClose={close} /> : null}
      {typeof doing === 'object' && doing.what === 'edit' ? (
        <EditRange network={network} range={doing.range} onClose={close} />
      ) : null}
      {typeof doing === 'object' && doing.what === 'remove' ? (
        <RemoveRange network={network} range={doing.range} onClose={close} />
      ) : null}
    </Card>
  );
};
