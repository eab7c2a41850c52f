/** Wakes a loop: a wake that comes while it is busy is not lost, many are one. */
export interface Wake {
  ring(): void;
  wait(limitMs: number): Promise<void>;
}

export const createWake = (): Wake => {
  let rung = false;
  let waiting: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      waiting?.();
    },
    wait: (limitMs) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting = undefined;
          rung = false;
          resolve();
        };
        const timer = setTimeout(done, limitMs);
        waiting = done;
        if (rung) done();
      }),
  };
};
