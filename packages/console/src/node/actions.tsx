/** Power and boot buttons that the node really has, from its hammers; nothing else is offered. */
import { node_action_list, node_action_run } from '@hostwright/api/nouns/node-action';
import { node_patch, type Node } from '@hostwright/api/nouns/node';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { BootOnce } from '../boot/boot-once.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icon.tsx';
import { DeleteNode } from './delete-node.tsx';
import { ReinstallDialog, ReleaseDialog, RescueDialog } from './life-dialogs.tsx';
import { Menu } from '../ui/menu.tsx';
import { say } from '../ui/toast.tsx';

interface Offered {
  readonly action: string;
  readonly hammer: string;
  readonly description: string;
  readonly disruptive: boolean;
}

const LIFE: Readonly<Record<string, typeof RescueDialog>> = {
  rescue: RescueDialog,
  reinstall: ReinstallDialog,
  release: ReleaseDialog,
};

const Asked = (props: {
  readonly asked: Offered;
  readonly node: Node;
  readonly onClose: () => void;
  readonly onAct: (offered: Offered) => void;
}) => {
  const { asked, node } = props;
  const Life = Object.hasOwn(LIFE, asked.action) ? LIFE[asked.action] : undefined;
  if (Life !== undefined) return <Life node={node} onClose={props.onClose} />;
  return (
    <Confirm
      title={`${asked.action} ${node.name}?`}
      action={asked.action}
      onConfirm={() => {
        props.onAct(asked);
        props.onClose();
      }}
      onClose={props.onClose}
    >
      <p>{asked.description}</p>
      <p className="muted">What runs on the machine is interrupted.</p>
    </Confirm>
  );
};

export const NodeActions = ({ node }: { readonly node: Node }) => {
  const { data } = useQuery(reading(node_action_list, { params: { node: node.name } }));
  const [deleting, setDeleting] = useState(false);
  const [booting, setBooting] = useState(false);
  const [asking, setAsking] = useState<Offered>();
  const act = useChange(
    (offered: Offered) =>
      send(node_action_run, {
        params: { node: node.name, action: offered.action },
        body: { hammer: offered.hammer },
      }),
    {
      onSuccess: (done) => say(`${done.action} sent`, `by ${done.hammer} to ${node.name}`),
    },
  );
  const available = useChange(
    (to: boolean) => send(node_patch, { params: { node: node.name }, body: { available: to } }),
    {
      onSuccess: (made) =>
        say(
          made.available ? 'Hostwright manages it again' : 'Hostwright leaves it alone',
          node.name,
        ),
    },
  );
  const offered = data?.items ?? [];
  return (
    <>
      <button
        className="btn"
        onClick={() => available.mutate(!node.available)}
        disabled={available.isPending}
        title={node.available ? 'Start no further runs on it' : 'Let Hostwright manage it'}
      >
        <Icon name={node.available ? 'pause' : 'play'} />{' '}
        {node.available ? 'Take out of service' : 'Put into service'}
      </button>
      {offered.length === 0 ? null : (
        <Menu
          label="Power and boot"
          button={
            <>
              <Icon name="power" /> Power and boot
            </>
          }
        >
          {offered.map((each) => (
            <button
              key={each.hammer + each.action}
              className={each.disruptive ? 'danger' : ''}
              onClick={() => (each.disruptive ? setAsking(each) : act.mutate(each))}
            >
              {each.action} <span className="faint end">{each.hammer}</span>
            </button>
          ))}
        </Menu>
      )}
      {node.admin ? null : (
        <Menu label="More" className="btn icon" button={<Icon name="more" />}>
          <button onClick={() => setBooting(true)}>
            <Icon name="boot" /> Boot it once into…
          </button>
          <hr />
          <button className="danger" onClick={() => setDeleting(true)}>
            <Icon name="trash" /> Delete this node
          </button>
        </Menu>
      )}
      {booting ? <BootOnce node={node} onClose={() => setBooting(false)} /> : null}
      {deleting ? <DeleteNode node={node} onClose={() => setDeleting(false)} /> : null}
      {asking === undefined ? null : (
        <Asked asked={asking} node={node} onClose={() => setAsking(undefined)} onAct={act.mutate} />
      )}
    </>
  );
};
