/**
 * An error that a person can act on. `code` is a stable code from `docs/errors.md`; the message says what happened and what to
 * do.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** The error for a resource that does not exist, or that the caller is not allowed to know of: both responses are the same. */
export function notFound(kind = 'resource', options?: { cause?: unknown }): AppError {
  return new AppError('not_found', `This ${kind} does not exist.`, options);
}

/** The error for every use of an account while it is disabled by the operator. */
export function accountDisabled(): AppError {
  return new AppError('account_disabled', 'The operator of this installation has disabled this account.');
}

/** All codes. A test compares them with `docs/errors.md`. */
export const ERROR_CODES = [
  'invalid_configuration',
  'data_directory_unusable',
  'secret_key_unusable',
  'secret_key_mismatch',
  'database_unavailable',
  'database_failed_to_start',
  'migration_failed',
  'disk_full',
  'output_failed',
  'port_in_use',
  'java_missing',
  'validator_failed_to_start',
  'browser_missing',
  'browser_failed_to_start',
  'account_not_found',
  'token_not_found',
  'invalid_usage',
  'site_not_checkable',
  // Errors of the API; their HTTP statuses are in api/jsonapi/errors.ts.
  'invalid_json',
  'invalid_request',
  'invalid_parameter',
  'unsupported_media_type',
  'conflict',
  'unauthorized',
  'invalid_token',
  'wrong_credentials',
  'account_disabled',
  'read_only_token',
  'pro_required',
  'forbidden',
  'credits_exhausted',
  'not_found',
  'method_not_allowed',
  'invalid',
  'payload_too_large',
  'rate_limited',
  'unavailable',
  'paused',
  'too_many_reports',
  'too_many_streams',
  'too_many_comparisons',
  'too_many_exports',
  'report_not_finished',
  'not_printable',
  'too_large_to_print',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An attribute of a request is invalid for a reason that its schema does not know. */
export class InvalidAttribute extends AppError {
  readonly attribute: string;
  /** Worded to follow the attribute's name. */
  readonly problem: string;

  constructor(attribute: string, problem: string) {
    super('invalid', `${attribute} ${problem}`);
    this.attribute = attribute;
    this.problem = problem;
  }
}

/** A temporary refusal. */
export class RetryLater extends AppError {
  readonly retryAfterSeconds: number;

  constructor(code: ErrorCode, message: string, retryAfterSeconds: number, options?: { cause?: unknown }) {
    super(code, message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Refuses another thing if the account has as many as it can have.
 * @param count how many the account has
 * @param things in the plural, such as `schedules`
 * @throws AppError invalid
 */
export function requireRoom(count: number, max: number, things: string, remedy: 'Delete' | 'Revoke' = 'Delete'): void {
  if (count < max) return;
  throw new AppError('invalid', `An account can have at most ${max} ${things}. ${remedy} one that you no longer need.`);
}

/** Returns the code of an error of the system, a library or the database, such as `ENOENT`; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Returns the message of anything thrown. If a connection failed at all addresses of a host, joins the message of each. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
