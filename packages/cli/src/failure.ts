/**
 * How a command ends when it does not succeed: one sentence, what to do about it, and an exit code
 * that scripts may rely on. docs/reference/cli.md lists the same codes; a test compares.
 */
export const EXIT = {
  ok: { code: 0, text: 'done' },
  failed: { code: 1, text: 'something went wrong; the sentence on standard error says what' },
  usage: { code: 2, text: 'the command line is not valid' },
  unreachable: { code: 3, text: 'no server is known, or it does not answer' },
  forbidden: { code: 4, text: 'not signed in, or your role does not allow this' },
  not_found: { code: 5, text: 'there is no such object' },
  refused: {
    code: 6,
    text: 'the server refused: a conflict, a plan that moved, or reasons it lists',
  },
  not_done: { code: 7, text: 'what was waited for ended in error, or was halted' },
  surroundings: {
    code: 8,
    text: 'this machine does not allow it: port in use, folder not writable, already running, newer database',
  },
} as const satisfies Record<string, { code: number; text: string }>;

export type Ending = keyof typeof EXIT;

export interface FailureDetail {
  /** What the reader can do about it. */
  readonly advice?: string;
  /** Further lines: each reason of a refusal. */
  readonly reasons?: readonly string[];
  readonly cause?: unknown;
}

/** An expected way to fail: printed without a stack. */
export class Failure extends Error {
  readonly ending: Ending;
  readonly advice: string | undefined;
  readonly reasons: readonly string[];

  constructor(ending: Ending, message: string, detail: FailureDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'Failure';
    this.ending = ending;
    this.advice = detail.advice;
    this.reasons = detail.reasons ?? [];
  }
}
