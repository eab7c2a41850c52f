/** Leave for something destructive, once. Where disks are lost, each is ticked by hand. */
import { node_reinstall_plan } from '@hostwright/api/nouns/node-life';
import { noderole_consent, type Noderole } from '@hostwright/api/nouns/noderole';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DiskChoice } from '../node/disk-choice.tsx';
import { reading, send, useChange } from '../session/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { say } from '../ui/toast.tsx';

type ErasingRole = 'provisioner-os-install' | 'provisioner-erase';

const isErasing = (role: string): role is ErasingRole =>
  role === 'provisioner-os-install' || role === 'provisioner-erase';

interface AllowProps {
  readonly noderole: Noderole;
  readonly onClose: () => void;
}

const useConsent = ({ noderole, onClose }: AllowProps) =>
  useChange(
    (disks: string[]) =>
      send(noderole_consent, {
        params: { noderole: noderole.id },
        body: disks.length === 0 ? {} : { disks },
      }),
    {
      quiet: true,
      onSuccess: () => {
        say('You allowed it once', 'For the inputs as they are now.');
        onClose();
      },
    },
  );

const AllowErasing = (props: AllowProps & { readonly role: ErasingRole }) => {
  const { noderole, role } = props;
  const plan = useQuery(
    reading(node_reinstall_plan, { params: { node: noderole.node }, query: { role } }),
  );
  const [named, setNamed] = useState<ReadonlySet<string>>(new Set());
  const consent = useConsent(props);
  const disks = plan.data?.disks ?? [];
  return (
    <Confirm
      title={`Let ${noderole.node} be erased?`}
      action="Allow once"
      change={consent}
      ready={disks.length > 0 && disks.every((disk) => named.has(disk.name))}
      onConfirm={() => consent.mutate([...named])}
      onClose={props.onClose}
    >
      <Loaded read={plan} lines={3}>
        {({ os }) => (
          <>
            <p>
              {role === 'provisioner-erase' ? null : (
                <>
                  <strong>{os}</strong> will be installed on it.{' '}
                </>
              )}
              Tick every disk that will be lost: that is the consent, good for one run.
            </p>
            <DiskChoice disks={disks} chosen={named} onChoose={setNamed} />
          </>
        )}
      </Loaded>
    </Confirm>
  );
};

export const AllowDialog = (props: AllowProps) => {
  const consent = useConsent(props);
  const { noderole, onClose } = props;
  if (isErasing(noderole.role)) return <AllowErasing {...props} role={noderole.role} />;
  return (
    <Confirm
      title={`Let ${noderole.role} run on ${noderole.node}?`}
      action="Allow once"
      change={consent}
      onConfirm={() => consent.mutate([])}
      onClose={onClose}
    >
      <p>
        It destroys something there. Your leave is for one run, with the inputs as they are now.
      </p>
    </Confirm>
  );
};
