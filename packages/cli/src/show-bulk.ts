import { Failure } from './failure.ts';
import type { Output } from './output.ts';

export interface BulkResult {
  readonly results: readonly {
    readonly ref: string;
    readonly ok: boolean;
    readonly message?: string | undefined;
  }[];
  readonly ok: number;
  readonly failed: number;
}

/** One action on many: what happened to each. Ends as refused if any was refused. */
export const showBulk = (out: Output, result: BulkResult, done: string): void => {
  out.answer(result, () => out.line(`${result.ok} ${done}`));
  if (result.failed > 0)
    throw new Failure('refused', `${result.failed} could not be ${done}`, {
      reasons: result.results
        .filter((item) => !item.ok)
        .slice(0, 20)
        .map((item) => `${item.ref}: ${item.message ?? 'refused'}`),
    });
};
