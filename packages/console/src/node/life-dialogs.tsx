/** Rescue, reinstall and release: what becomes of a machine. Disks that will be lost are named by hand. */
import {
  node_reinstall,
  node_reinstall_plan,
  node_release,
  node_rescue,
} from '@hostwright/api/nouns/node-life';
import type { Node } from '@hostwright/api/nouns/node';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading, send, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Notice } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { say } from '../ui/toast.tsx';
import { DiskChoice, disksOfFacts } from './disk-choice.tsx';

interface LifeProps {
  readonly node: Node;
  readonly onClose: () => void;
}

export const RescueDialog = ({ node, onClose }: LifeProps) => {
  const rescue = useChange(() => send(node_rescue, { params: { node: node.name } }), {
    quiet: true,
    onSuccess: (done) => {
      say(done.restarted ? 'It restarts into rescue' : 'Restart it by hand', done.text);
      onClose();
    },
  });
  return (
    <Confirm
      title={`Boot ${node.name} into rescue?`}
      action="Boot rescue"
      change={rescue}
      onConfirm={() => rescue.mutate(undefined)}
      onClose={onClose}
    >
      <p>A system in memory with SSH for the operators’ keys, for one boot. No disk is written.</p>
      <p className="muted">What runs on the machine is interrupted.</p>
    </Confirm>
  );
};

export const ReinstallDialog = ({ node, onClose }: LifeProps) => {
  const plan = useQuery(reading(node_reinstall_plan, { params: { node: node.name } }));
  const [named, setNamed] = useState<ReadonlySet<string>>(new Set());
  const reinstall = useChange(
    (disks: string[]) => send(node_reinstall, { params: { node: node.name }, body: { disks } }),
    {
      quiet: true,
      onSuccess: (done) => {
        say(`${done.os} is installed again on ${node.name}`, 'Follow it under its runs.');
        onClose();
      },
    },
  );
  const disks = plan.data?.disks ?? [];
  const ready =
    plan.data !== undefined &&
    plan.data.refusals.length === 0 &&
    disks.every((disk) => named.has(disk.name));
  return (
    <Confirm
      title={`Install ${node.name} again?`}
      action="Erase and install"
      change={reinstall}
      ready={ready}
      onConfirm={() => reinstall.mutate([...named])}
      onClose={onClose}
    >
      <Loaded read={plan} lines={3}>
        {({ os, refusals }) => (
          <>
            {refusals.length === 0 ? (
              <p>
                <strong>{os}</strong> is installed as if for the first time. Tick every disk that
                will be lost: that is the consent, good for one run.
              </p>
            ) : (
              <Notice tone="bad">
                <strong>It cannot be installed as things are</strong>
                <ul>
                  {refusals.map((refusal) => (
                    <li key={refusal.path + refusal.message}>{refusal.message}</li>
                  ))}
                </ul>
              </Notice>
            )}
            <DiskChoice disks={disks} chosen={named} onChoose={setNamed} />
          </>
        )}
      </Loaded>
    </Confirm>
  );
};

export const ReleaseDialog = ({ node, onClose }: LifeProps) => {
  const [erase, setErase] = useState<'no' | 'quick' | 'full'>('no');
  const [named, setNamed] = useState<ReadonlySet<string>>(new Set());
  const disks = disksOfFacts(node.discovery);
  const release = useChange(
    (how: 'no' | 'quick' | 'full') =>
      send(node_release, {
        params: { node: node.name },
        body: how === 'no' ? {} : { erase: { disks: [...named], how } },
      }),
    {
      quiet: true,
      onSuccess: (done) => {
        const waits = done.pending.length > 0;
        say(
          waits ? `${node.name} is being given back` : `${node.name} is given back`,
          waits
            ? `Still being torn down: ${done.pending.join(', ')}.${done.toErase.length === 0 ? '' : ' Its disks are erased after that.'}`
            : `${done.addresses.length} addresses in quarantine.`,
        );
        onClose();
      },
    },
  );
  return (
    <Confirm
      title={`Release ${node.name}?`}
      action={erase === 'no' ? 'Release' : 'Release and erase'}
      change={release}
      ready={erase === 'no' || named.size > 0}
      onConfirm={() => release.mutate(erase)}
      onClose={onClose}
    >
      <p>
        Its roles are unbound and torn down, its addresses released into quarantine. The node stays,
        without work.
      </p>
      <label className="row">
        Erase its disks
        <select
          className="select small"
          value={erase}
          onChange={(event) =>
            setErase(
              event.target.value === 'quick' || event.target.value === 'full'
                ? event.target.value
                : 'no',
            )
          }
        >
          <option value="no">no</option>
          <option value="quick">quick: what says that data is there</option>
          <option value="full">full: every block</option>
        </select>
      </label>
      {erase === 'no' ? null : <DiskChoice disks={disks} chosen={named} onChoose={setNamed} />}
    </Confirm>
  );
};
