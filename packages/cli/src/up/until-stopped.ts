/**
 * The life of a process that runs until it is told to stop: by a signal, or by the end of whoever
 * started it. `npm start` passes a Ctrl-C on, so the same one arrives two or three times at once;
 * only one that comes seconds later means "at once, please".
 */
export interface Stopping {
  readonly signal: AbortSignal;
  /** Resolves with the reason. */
  readonly asked: Promise<string>;
}

const IMPATIENT_MS = 3000;

export const untilStopped = (): Stopping => {
  const controller = new AbortController();
  const asked = Promise.withResolvers<string>();
  let first: number | undefined;
  const ask = (reason: string) => {
    if (first === undefined) {
      first = performance.now();
      controller.abort();
      asked.resolve(reason);
    } else if (performance.now() - first > IMPATIENT_MS) {
      process.exit(130);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ask(name));
  if (process.send !== undefined) process.once('disconnect', () => ask('its keeper is gone'));
  return { signal: controller.signal, asked: asked.promise };
};

/** Tells the keeper, if there is one, that this child now does its work. */
export const sayReady = (message: object): void => {
  process.send?.(message);
};
