/**
 * The catalogue of errors: every way in which Hostwright refuses or fails, with its HTTP status
 * and whether trying again can help. docs/reference/errors.md lists the same codes; a test compares.
 * Clients branch on `code`, never on a text.
 */
export const ERRORS = {
  bad_input: { status: 400, retryable: false, text: 'the request is not valid' },
  unauthenticated: { status: 401, retryable: false, text: 'sign in or give a valid token' },
  forbidden: { status: 403, retryable: false, text: 'your role does not allow this' },
  not_found: { status: 404, retryable: false, text: 'there is no such object' },
  name_taken: { status: 409, retryable: false, text: 'the name is taken' },
  conflict: {
    status: 409,
    retryable: false,
    text: 'the object is in a state that does not allow this',
  },
  in_use: { status: 409, retryable: false, text: 'others need it' },
  plan_moved: {
    status: 409,
    retryable: false,
    text: 'what the plan was made from has changed; read the new plan',
  },
  nothing_to_commit: { status: 409, retryable: false, text: 'the proposal changes nothing' },
  refused: { status: 422, retryable: false, text: 'the change cannot be made' },
  stale_token: { status: 409, retryable: false, text: 'the token or boot id is no longer current' },
  precondition_failed: {
    status: 412,
    retryable: false,
    text: 'the object has changed since you read it',
  },
  too_large: { status: 413, retryable: false, text: 'the request is too large' },
  too_many_requests: { status: 429, retryable: true, text: 'slow down' },
  internal: { status: 500, retryable: true, text: 'something went wrong inside Hostwright' },
  unavailable: { status: 503, retryable: true, text: 'not ready yet' },
  no_space: { status: 507, retryable: false, text: 'the disk is full' },
  schema_newer: {
    status: 503,
    retryable: false,
    text: 'the database belongs to a newer Hostwright',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; text: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One reason for a refusal. `path` names the field or object it is about. */
export interface Refusal {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

export interface ErrorDetail {
  /** What the caller may read; a sentence. */
  readonly message?: string;
  readonly public?: Readonly<Record<string, unknown>>;
  readonly refusals?: readonly Refusal[];
  /** Only for the log. */
  readonly private?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class HostwrightError extends Error {
  readonly code: ErrorCode;
  readonly public: Readonly<Record<string, unknown>>;
  readonly private: Readonly<Record<string, unknown>>;
  readonly refusals: readonly Refusal[];

  constructor(code: ErrorCode, detail: ErrorDetail = {}) {
    super(
      detail.message ?? ERRORS[code].text,
      detail.cause === undefined ? undefined : { cause: detail.cause },
    );
    this.name = 'HostwrightError';
    this.code = code;
    this.public = detail.public ?? {};
    this.private = detail.private ?? {};
    this.refusals = detail.refusals ?? [];
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}
