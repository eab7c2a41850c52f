/** Getting started: four ways to get machines, and what to do with the first one. */
import { system_get } from '@hostwright/api/nouns/system';
import { token_create } from '@hostwright/api/nouns/token';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Offers } from '../node/offers.tsx';
import { useDeployments } from '../deployment/tree-order.ts';
import { useFleet, useFleetTick } from '../live/fleet-store.ts';
import { reading, send, useChange } from '../session/client.ts';
import { useMay } from '../session/me.ts';
import { useCrumbs } from '../shell/crumbs.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Card, Page } from '../ui/page.tsx';
import { plural } from '../ui/words.ts';

const Join = () => {
  const may = useMay('operator');
  const { data: system } = useQuery(reading(system_get, {}));
  const make = useChange(() =>
    send(token_create, { body: { kind: 'join', name: 'getting started', uses: 10 } }),
  );
  return (
    <div className="stack">
      <p className="muted">
        Run this as root on any Linux machine. It fetches a small agent over HTTPS, checks the
        fingerprint of our certificate, and needs no inbound port.
      </p>
      <CopyBox text={make.data?.command ?? system?.joinCommand ?? ''} label="the join command" />
      {may ? (
        <div className="row">
          <button className="btn" onClick={() => make.mutate(undefined)} disabled={make.isPending}>
            <Icon name="token" /> {make.data === undefined ? 'Make a token for it' : 'Make another'}
          </button>
          <span className="faint">
            {make.data === undefined
              ? 'The command needs one; it lets ten machines in, for a day.'
              : 'Lets ten machines in, for a day.'}
          </span>
        </div>
      ) : (
        <p className="faint">An operator makes the token that the command needs.</p>
      )}
    </div>
  );
};

const Step = ({
  done,
  number,
  children,
}: {
  readonly done: boolean;
  readonly number: number;
  readonly children: React.ReactNode;
}) => (
  <li className="step" data-done={done}>
    <span className="step-mark">{done ? <Icon name="check" size={13} /> : number}</span>
    <div className="grow">{children}</div>
  </li>
);

const Steps = () => {
  const { columns } = useFleet();
  useFleetTick();
  const { data } = useDeployments();
  const machines = [...columns.admin].filter((admin) => !admin).length;
  const own = data?.items.filter((each) => !each.system) ?? [];
  const committed = own.some((each) => each.committedRevision !== null);
  const active = own.some((each) => each.noderoles.active > 0);
  return (
    <ol className="steps">
      <Step number={1} done={machines > 0}>
        <strong>Get a machine.</strong>{' '}
        <span className="muted">
          {machines > 0 ? `${plural(machines, 'machine')} joined.` : 'By one of the ways below.'}
        </span>
      </Step>
      <Step number={2} done={own.length > 0}>
        <strong>Make a deployment.</strong>{' '}
        <span className="muted">
          The scope of work, under <Link to="/deployments">Deployments</Link>.
        </span>
      </Step>
      <Step number={3} done={committed}>
        <strong>Drag the machine onto a role, read the plan, commit.</strong>{' '}
        <span className="muted">Nothing happens before the commit.</span>
      </Step>
      <Step number={4} done={active}>
        <strong>Watch it turn active.</strong>{' '}
        <span className="muted">
          In the matrix, the <Link to="/annealer">annealer</Link>, or the{' '}
          <Link to="/fleet">fleet</Link>. If it waits, it says why.
        </span>
      </Step>
    </ol>
  );
};

export const StartPage = () => {
  useCrumbs({ label: 'Getting started' });
  const { data: system } = useQuery(reading(system_get, {}));
  return (
    <Page title="Getting started" lead="From “it exists” to “it does its job” in four steps.">
      <Offers />
      <Card>
        <Steps />
      </Card>
      <div className="grid-2">
        <Card title="A machine that runs Linux already">
          <Join />
        </Card>
        <Card title="No machine at hand: the simulator">
          <div className="stack">
            <p className="muted">
              {system?.simulator === true
                ? 'It is running: simulated machines join, report, reboot and fail like real ones.'
                : 'Simulated machines join, report, reboot and fail like real ones. Good for a first look and for trying a plan at scale.'}
            </p>
            <CopyBox text="hostwright up --simulate 20" label="the simulator command" />
          </div>
        </Card>
        <Card title="Bare metal, by network boot">
          <div className="stack">
            <p className="muted">
              Give the admin node the roles of the <code>network</code>, <code>dhcp</code> and{' '}
              <code>provisioner</code> barclamps. A machine set to boot from the network then
              discovers itself and appears in the fleet as undefined.
            </p>
            <Link className="btn" to="/roles" search={{ q: 'provisioner' }}>
              See the roles
            </Link>
          </div>
        </Card>
        <Card title="A cloud or a hypervisor">
          <div className="stack">
            <p className="muted">
              Put the join command into the user data (cloud-init) of the instance: it joins at its
              first boot.
            </p>
            <CopyBox
              text={`#cloud-config\nruncmd:\n  - ${system?.joinCommand ?? ''}`}
              label="the cloud-init document"
            />
          </div>
        </Card>
      </div>
    </Page>
  );
};
