/** A refusal or failure that the server answered with, as an error to catch. Branch on `code`. */
import type { Problem } from './schema.ts';

export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;
  readonly requestId: string;
  readonly refusals: Problem['refusals'];
  /** The whole answer; `public` extras of an error stand beside the standard members. */
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.status = problem.status;
    this.code = problem.code;
    this.retryable = problem.retryable;
    this.requestId = problem.requestId;
    this.refusals = problem.refusals;
    this.problem = problem;
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value;

/** Anything but a problem document (a proxy's page, an empty body) becomes one. */
export const problemFrom = (status: number, text: string, instance: string): ProblemError => {
  try {
    const value: unknown = JSON.parse(text);
    if (isProblem(value)) return new ProblemError(value);
  } catch {
    // not JSON: said below
  }
  return new ProblemError({
    type: 'about:blank',
    title: 'unexpected answer',
    status,
    detail: `the server answered ${status} without saying why`,
    instance,
    code: status === 401 ? 'unauthenticated' : 'internal',
    retryable: status >= 500,
    requestId: '',
    refusals: [],
  });
};
