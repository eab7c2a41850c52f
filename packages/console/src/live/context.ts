import { createContext, use, useSyncExternalStore } from 'react';
import type { Feed, LiveState } from './feed.ts';

export const FeedContext = createContext<Feed | null>(null);

export const useFeed = (): Feed => {
  const feed = use(FeedContext);
  if (feed === null) throw new Error('no event feed above this component');
  return feed;
};

export const useLiveState = (): LiveState => {
  const feed = useFeed();
  return useSyncExternalStore(feed.onState, feed.state);
};
