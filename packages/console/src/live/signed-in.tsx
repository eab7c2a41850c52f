/** Starts the event stream and the fleet store when somebody is signed in; stops them after. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { signInAddress } from '../session/me.ts';
import { FeedContext } from './context.ts';
import { createFeed } from './feed.ts';
import { createFleetStore, FleetContext } from './fleet-store.ts';
import { createInvalidator } from './invalidate.ts';

export const SignedIn = ({ children }: { readonly children: ReactNode }) => {
  const queries = useQueryClient();
  const [{ feed, fleet }] = useState(() => {
    const feed = createFeed(() => location.assign(signInAddress()));
    const fleet = createFleetStore(feed);
    createInvalidator(queries, feed);
    return { feed, fleet };
  });
  useEffect(() => {
    let stopped = false;
    // the stream begins where the first read stands: nothing is missed, nothing is counted twice
    void fleet.load().then((position) => {
      if (!stopped) feed.start(position);
    });
    return () => {
      stopped = true;
      feed.stop();
    };
  }, [feed, fleet]);
  return (
    <FeedContext value={feed}>
      <FleetContext value={fleet}>{children}</FleetContext>
    </FeedContext>
  );
};
