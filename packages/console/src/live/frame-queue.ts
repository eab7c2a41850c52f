/**
 * Collects what comes in and hands it over once per frame, so that 1,000 events a second cost one
 * pass per frame and not a thousand. A hidden tab has no frames: there a slow timer takes over.
 */
export interface FrameQueue<Item> {
  readonly push: (item: Item) => void;
  readonly clear: () => void;
}

/** Longest time one hand-over may take; what is left waits for the next frame. */
const BUDGET_MS = 6;
const PIECE = 64;

export const createFrameQueue = <Item>(
  take: (items: readonly Item[]) => void,
): FrameQueue<Item> => {
  let items: Item[] = [];
  let scheduled = false;
  const run = (): void => {
    scheduled = false;
    const started = performance.now();
    let at = 0;
    while (at < items.length && performance.now() - started < BUDGET_MS) {
      take(items.slice(at, at + PIECE));
      at += PIECE;
    }
    items = items.slice(at);
    if (items.length > 0) schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    if (document.hidden) setTimeout(run, 500);
    else requestAnimationFrame(run);
  };
  // a frame asked for just before the tab was hidden would never come
  document.addEventListener('visibilitychange', () => {
    if (scheduled) run();
  });
  return {
    push: (item) => {
      items.push(item);
      schedule();
    },
    clear: () => {
      items = [];
    },
  };
};
