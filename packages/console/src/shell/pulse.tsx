/** The heartbeat at the top: is what you see live, and how much is going on. */
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { tally } from '../fleet/columns.ts';
import { useFeed, useLiveState } from '../live/context.ts';
import { useFleet, useFleetTick } from '../live/fleet-store.ts';
import { StateMark } from '../ui/state.tsx';
import { plural } from '../ui/words.ts';

const SAID = { live: 'Live', connecting: 'Connecting', lost: 'Reconnecting' } as const;

const useRate = (): number => {
  const feed = useFeed();
  const [rate, setRate] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setRate(feed.rate()), 1000);
    return () => clearInterval(timer);
  }, [feed]);
  return rate;
};

export const Pulse = () => {
  const live = useLiveState();
  const rate = useRate();
  const store = useFleet();
  useFleetTick();
  const sums = tally(store.columns);
  return (
    <div className="pulse">
      {sums.error > 0 ? (
        <Link
          className="state pulse-extra"
          data-state="error"
          to="/fleet"
          search={{ states: 'error' }}
          aria-label={`${plural(sums.error, 'node')} with a failed noderole`}
          title="Nodes with a failed noderole"
        >
          <StateMark look="error" /> {sums.error.toLocaleString('en')}
        </Link>
      ) : null}
      {sums.transition > 0 ? (
        <span className="state pulse-extra" data-state="transition" title="Nodes being worked on">
          <StateMark look="transition" /> {sums.transition.toLocaleString('en')}
        </span>
      ) : null}
      <span
        className="row tight"
        role="status"
        aria-label={`${SAID[live]}, ${rate} events per second`}
        title={`${rate} events per second`}
      >
        <span className="pulse-dot" data-live={live} />
        &nbsp;{SAID[live]}
        <span className="faint pulse-extra num">
          {rate > 0 ? `${rate.toLocaleString('en')}/s` : ''}
        </span>
      </span>
    </div>
  );
};
