/**
 * Calls that come while others are under way are carried out together: a lone machine is served at
 * once, a thousand at once in a few dozen transactions instead of a thousand (as PostgreSQL itself
 * gathers commits). What the batch could not do, or failed as a whole, is done one by one, so that
 * one machine's trouble stays its own.
 */
export interface Gathering<Asked, Answer> {
  /** Batches under way. */
  readonly batches: number;
  /** In one batch. */
  readonly most: number;
  /** Done one by one, at once: these may wait long, so they hold up no batch. */
  readonly singles: number;
  /** No two of one key are in a batch. */
  readonly key?: (asked: Asked) => unknown;
  /** In the order asked; undefined: not done. */
  readonly together: (asked: readonly Asked[]) => Promise<readonly (Answer | undefined)[]>;
  readonly alone: (asked: Asked) => Promise<Answer>;
}

interface Caller<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface Gathered<Asked, Answer> {
  ask(asked: Asked): Promise<Answer>;
  waiting(): number;
}

export const gather = <Asked, Answer>(
  options: Gathering<Asked, Answer>,
): Gathered<Asked, Answer> => {
  let waiting: Caller<Asked, Answer>[] = [];
  const left: Caller<Asked, Answer>[] = [];
  let batches = 0;
  let singles = 0;
  let woken = false;

  const takeBatch = (): Caller<Asked, Answer>[] => {
    const keys = new Set<unknown>();
    const batch: Caller<Asked, Answer>[] = [];
    const later: Caller<Asked, Answer>[] = [];
    for (const caller of waiting) {
      const key = options.key?.(caller.asked) ?? caller;
      if (batch.length >= options.most || keys.has(key)) later.push(caller);
      else batch.push(caller);
      keys.add(key);
    }
    waiting = later;
    return batch;
  };

  const startSingles = (): void => {
    while (singles < options.singles) {
      const caller = left.shift();
      if (caller === undefined) return;
      singles++;
      options
        .alone(caller.asked)
        .then(caller.resolve, caller.reject)
        .finally(() => {
          singles--;
          startSingles();
        });
    }
  };

  const carryOut = async (batch: readonly Caller<Asked, Answer>[]): Promise<void> => {
    let answers: readonly (Answer | undefined)[] = [];
    try {
      answers = await options.together(batch.map(({ asked }) => asked));
    } catch {
      // whoever is to blame hears of it alone
    }
    for (const [index, caller] of batch.entries()) {
      const answer = answers[index];
      if (answer === undefined) left.push(caller);
      else caller.resolve(answer);
    }
    startSingles();
  };

  const startBatches = (): void => {
    woken = false;
    while (batches < options.batches && waiting.length > 0) {
      batches++;
      void carryOut(takeBatch()).finally(() => {
        batches--;
        startBatches();
      });
    }
  };

  return {
    waiting: () => waiting.length + left.length,
    ask: (asked) =>
      new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        if (woken || batches >= options.batches) return;
        woken = true;
        setImmediate(startBatches);
      }),
  };
};
