/** Turns whatever went wrong into one sentence, what to do, and the exit code. */
import { EXIT, Failure, type Ending } from './failure.ts';
import { painter } from './paint.ts';

const BY_STATUS: Readonly<Record<number, Ending>> = {
  401: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  409: 'refused',
  412: 'refused',
  422: 'refused',
};

const ADVICE: Readonly<Record<string, string>> = {
  unauthenticated:
    'sign in with `hostwright login URL`, or run this as the user who ran `hostwright up`',
  forbidden: 'ask an admin for the role, or use a token that has it',
  plan_moved: 'read the new plan with `hostwright plan` and commit by its hash',
  nothing_to_commit: 'edit it first, or discard it with `hostwright snapshot discard`',
  precondition_failed: 'somebody changed it meanwhile: look again, then repeat',
  too_many_requests: 'wait a little and repeat',
  unavailable: 'it may still be starting: try again in a few seconds',
};

interface Problem {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly refusals?: readonly { readonly path: string; readonly message: string }[];
}

/** HostwrightError, known by its shape: importing the class would load the whole domain for `--help`. */
const isProblem = (error: unknown): error is Error & Problem =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  'status' in error &&
  typeof error.status === 'number';

/** Where a field came from is the API's concern: whoever typed a command knows it by its name. */
const plainPath = (text: string): string => text.replace(/^(body|path|query)\//, '');

const reasonOf = ({ path, message }: { readonly path: string; readonly message: string }): string =>
  path === '' || /^(roles|nodes|consent|ranges|routers)\b/.test(path)
    ? message
    : `${plainPath(path)}: ${message}`;

/** Reasons are listed below the sentence: a single one is the sentence. */
const reasonsOf = ({ refusals = [] }: Problem): string[] =>
  refusals.length === 1 ? [] : refusals.map(reasonOf);

/** A sentence that only strings the first reasons together gives way to how many there are. */
const headline = ({ message, refusals = [] }: Problem): string => {
  const [first] = refusals;
  if (first === undefined) return message;
  if (refusals.length === 1)
    return message.includes(first.message) ? plainPath(message) : reasonOf(first);
  return message.startsWith(`${first.message};`)
    ? `refused, for ${refusals.length} reasons`
    : plainPath(message);
};

const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EPIPE',
]);

/** The code Node gave the failure, however deep it lies. */
export const systemCode = (error: unknown): string | undefined => {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z_]+$/.test(at.code))
      return at.code;
  return undefined;
};

export const asKnownFailure = (error: unknown): Failure | undefined => {
  if (error instanceof Failure) return error;
  if (isProblem(error)) {
    const advice = ADVICE[error.code];
    return new Failure(
      BY_STATUS[error.status] ?? (error.status === 400 ? 'usage' : 'failed'),
      headline(error),
      { ...(advice !== undefined && { advice }), reasons: reasonsOf(error) },
    );
  }
  if (LOST.has(systemCode(error) ?? ''))
    return new Failure('unreachable', `the server does not answer (${systemCode(error)})`, {
      advice: 'is it running? `hostwright up` starts one here; --url names another',
    });
  return undefined;
};

/** Prints it and gives the exit code. */
export const reportFailure = (error: unknown, json: boolean): number => {
  const known = asKnownFailure(error);
  const paint = painter(process.stderr);
  if (json) {
    const answer = {
      error: known?.ending ?? 'failed',
      message: known?.message ?? (error instanceof Error ? error.message : String(error)),
      advice: known?.advice ?? null,
      reasons: known?.reasons ?? [],
    };
    process.stderr.write(`${JSON.stringify(answer)}\n`);
  } else if (known === undefined) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${paint('red', 'hostwright:')} this should not have happened: ${text}\n`);
  } else {
    const lines = [
      `${paint('red', 'hostwright:')} ${known.message}${known.advice === undefined ? '' : `; ${known.advice}`}`,
      ...known.reasons.map((reason) => `  - ${reason}`),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  }
  return EXIT[known?.ending ?? 'failed'].code;
};
