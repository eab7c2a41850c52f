/** The hammers of a node: where each is, what it offers, and whether it answers when asked. */
import { hammer_delete, hammer_list } from '@hostwright/api/nouns/hammer';
import { node_action_run } from '@hostwright/api/nouns/node-action';
import type { Node } from '@hostwright/api/nouns/node';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, troubleOf, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Notice } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card } from '../ui/page.tsx';
import { say } from '../ui/toast.tsx';
import { HammerForm, type Hammer } from './hammer-form.tsx';

/** The one action that changes nothing: asked of this hammer, whichever comes first. */
const TEST = 'power-status';
const EDITABLE = new Set(['ipmi', 'redfish']);

const Tested = ({ node, hammer }: { readonly node: string; readonly hammer: Hammer }) => {
  const test = useChange(
    (kind: string) =>
      send(node_action_run, { params: { node, action: TEST }, body: { hammer: kind } }),
    { quiet: true },
  );
  return (
    <>
      <button
        className="btn small"
        aria-label={`Test ${hammer.kind}`}
        onClick={() => test.mutate(hammer.kind)}
        disabled={test.isPending}
      >
        <Icon name="play" /> {test.isPending ? 'Asking…' : 'Test'}
      </button>
      <div role="status">
        {test.isPending ? null : test.error !== null ? (
          <Notice tone="bad">{troubleOf(test.error).detail}</Notice>
        ) : test.data === undefined ? null : (
          <Notice tone="good">
            It answers: the machine is {test.data.answer['power'] === 'off' ? 'off' : 'on'}.
          </Notice>
        )}
      </div>
    </>
  );
};

const TakeAway = (props: {
  readonly node: string;
  readonly kind: string;
  readonly onClose: () => void;
}) => {
  const params = { node: props.node, kind: props.kind };
  const remove = useChange(() => send(hammer_delete, { params }), {
    quiet: true,
    onSuccess: () => {
      say(`${props.node} has no hammer ${props.kind} any more`);
      props.onClose();
    },
  });
  return (
    <Confirm
      title={`Take ${props.kind} away from ${props.node}?`}
      action="Take it away"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={props.onClose}
    >
      <p>Hostwright can no longer act on the machine by it. Its secret stays.</p>
    </Confirm>
  );
};

const OneHammer = (props: {
  readonly node: string;
  readonly hammer: Hammer;
  readonly may: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}) => {
  const { hammer, may } = props;
  return (
    <li className="stack">
      <div className="row wrap">
        <strong>{hammer.kind}</strong>
        <span className="mono grow">{hammer.endpoint}</span>
        {may && EDITABLE.has(hammer.kind) ? (
          <button
            className="btn quiet icon small"
            aria-label={`Change ${hammer.kind}`}
            onClick={props.onEdit}
          >
            <Icon name="edit" />
          </button>
        ) : null}
        {may ? (
          <button
            className="btn quiet icon small"
            aria-label={`Take ${hammer.kind} away`}
            onClick={props.onRemove}
          >
            <Icon name="trash" />
          </button>
        ) : null}
      </div>
      <p className="faint">
        {hammer.username === '' ? 'No user' : `User ${hammer.username}`},{' '}
        {hammer.secret === null ? (
          'no password'
        ) : (
          <>
            password in the secret <span className="mono">{hammer.secret}</span>
          </>
        )}
      </p>
      <div className="row wrap">
        {hammer.actions.length === 0 ? (
          <span className="badge warn">offers nothing</span>
        ) : (
          hammer.actions.map((action) => (
            <span key={action} className="badge outline">
              {action}
            </span>
          ))
        )}
      </div>
      {may && hammer.actions.includes(TEST) ? <Tested node={props.node} hammer={hammer} /> : null}
    </li>
  );
};

export const Hammers = ({ node }: { readonly node: Node }) => {
  const may = useMay('operator', [node.deploymentId]);
  const hammers = useQuery(reading(hammer_list, { params: { node: node.name } }));
  const [editing, setEditing] = useState<{ readonly hammer: Hammer | undefined }>();
  const [removing, setRemoving] = useState<string>();
  const taken = (hammers.data?.items ?? []).map(({ kind }) => kind);
  const free = [...EDITABLE].some((kind) => !taken.includes(kind));
  return (
    <Card
      title="Hammers"
      extra={
        may && free ? (
          <button
            className="btn quiet icon small"
            aria-label="Give it a hammer"
            onClick={() => setEditing({ hammer: undefined })}
          >
            <Icon name="plus" />
          </button>
        ) : undefined
      }
    >
      <Loaded read={hammers} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="faint">
              None. With its BMC (IPMI or Redfish) this machine is switched on and off from here,
              and booted from the network for an installation.
            </p>
          ) : (
            <ul className="stack loose" aria-label="Hammers of this node">
              {items.map((hammer) => (
                <OneHammer
                  key={hammer.kind}
                  node={node.name}
                  hammer={hammer}
                  may={may}
                  onEdit={() => setEditing({ hammer })}
                  onRemove={() => setRemoving(hammer.kind)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing === undefined ? null : (
        <HammerForm
          node={node}
          hammer={editing.hammer}
          hammers={hammers.data?.items ?? []}
          onClose={() => setEditing(undefined)}
        />
      )}
      {removing === undefined ? null : (
        <TakeAway node={node.name} kind={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Card>
  );
};
