import { faultsMax } from '../../platform/attribute-faults.ts';
import { AppError, type ErrorCode, InvalidAttribute } from '../../platform/errors.ts';
import { type Fault, fault, namesIn, phraseOf, sentenceOf, shortName } from '../../platform/fault.ts';

/** Errors in one response. */
export const errorsMax = faultsMax;

/** Where in the request the problem is: a JSON pointer into the body, or the name of a query parameter. */
export type ErrorSource = { readonly pointer: string } | { readonly parameter: string };

/** One problem with a request. `title` is the short form, `detail` a sentence with the name of the attribute or parameter. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  readonly source?: ErrorSource;
}

/** An invalid request, with all its problems, up to `errorsMax`. */
export class RequestError extends AppError {
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, problems: readonly Problem[]) {
    const reported = problems.slice(0, errorsMax);
    super(code, reported.map((problem) => problem.detail).join(' '));
    this.problems = reported;
  }
}

/** The status, title and meaning of each error code of the API. `docs/errors.md` has the same meanings, word for word. */
const ANSWERS: Partial<Record<ErrorCode, { readonly status: number; readonly title: string; readonly when: string }>> =
  {
    invalid_json: {
      status: 400,
      title: 'is not valid JSON',
      when: 'The body is empty, or is not valid JSON in UTF-8.',
    },
    invalid_request: {
      status: 400,
      title: 'cannot be read',
      when: 'The URL, the headers or the `Idempotency-Key` cannot be read, or the body has no object at `data.attributes` (under `/auth`: is not an object). With status 431, the headers are too large.',
    },
    invalid_parameter: {
      status: 400,
      title: 'is invalid',
      when: 'A query parameter has an invalid value, or is a `filter`, `page` or `sort` that the list does not support. Other unknown parameters are ignored.',
    },
    unauthorized: {
      status: 401,
      title: 'Unauthorized',
      when: 'The request has neither an `Authorization: Bearer <API_TOKEN>` header nor the cookie of an active session.',
    },
    invalid_token: {
      status: 401,
      title: 'Invalid token',
      when: 'The token is unknown, revoked or expired, or the share link no longer works.',
    },
    wrong_credentials: {
      status: 401,
      title: 'Wrong email address or password',
      when: 'The email address or the password is wrong.',
    },
    credits_exhausted: {
      status: 402,
      title: 'Out of credits',
      when: "The account has no credits left, or the guest has used up this month's credits.",
    },
    account_disabled: {
      status: 403,
      title: 'Account disabled',
      when: 'The operator has disabled the account. No one can use it until it is enabled again.',
    },
    read_only_token: {
      status: 403,
      title: 'Read-only token',
      when: 'A token with the scope `read` was used for a change.',
    },
    pro_required: {
      status: 403,
      title: 'Pro plan required',
      when: "The account's plan does not include the feature.",
    },
    forbidden: {
      status: 403,
      title: 'Forbidden',
      when: 'You can see the report or the guest account, but only its owner or host can change it. Or a share link was used for more than its report or its sites, another website made the browser send a change with a session cookie, the installation does not allow sign-ups, or an account without a password signed in too long ago for this action.',
    },
    not_found: {
      status: 404,
      title: 'Not found',
      when: 'The resource does not exist, or you have no access to it.',
    },
    method_not_allowed: {
      status: 405,
      title: 'Method not allowed',
      when: 'The URL does not accept this method.',
    },
    conflict: {
      status: 409,
      title: 'Conflict',
      when: 'The `type` or `id` in the body does not match the resource, the resource already exists or is in use, a retention rule names the schedule to be deleted, the schedule or notification channel is inactive or not confirmed, the delivery is still pending, a request with the same `Idempotency-Key` is still running, too many re-checks of the report are still running, or the stored credentials cannot be decrypted.',
    },
    payload_too_large: {
      status: 413,
      title: 'Payload too large',
      when: 'The body is larger than 1 MiB.',
    },
    unsupported_media_type: {
      status: 415,
      title: 'Unsupported media type',
      when: 'The body is neither `application/json` nor `application/vnd.api+json`, or it is compressed.',
    },
    invalid: {
      status: 422,
      title: 'is invalid',
      when: 'Attributes are missing, unknown or invalid, the `Idempotency-Key` was used for another request, or the account has reached its limit for the resource.',
    },
    rate_limited: {
      status: 429,
      title: 'Too many requests',
      when: 'The token made more requests than the operator allows, the share link more than 600 per minute, or the session more than 1,200. Or there were too many attempts to sign in or sign up, or too many confirmation emails in a day.',
    },
    unavailable: {
      status: 503,
      title: 'Unavailable',
      when: 'The database is down, busy or read-only, the request took too long, or the service is stopping. A POST may still have succeeded.',
    },
    paused: {
      status: 503,
      title: 'Paused',
      when: 'The operator has paused the installation, for example after restoring a copy of it. No reports are created until it is resumed.',
    },
    too_many_reports: {
      status: 429,
      title: 'Too many reports',
      when: "The plan's maximum number of reports is already waiting to be crawled (`waiting_reports`).",
    },
    too_many_streams: {
      status: 429,
      title: 'Too many event streams',
      when: 'The account already has 20 open event streams.',
    },
    too_many_comparisons: {
      status: 429,
      title: 'Too many comparisons',
      when: 'This server is already comparing two other pairs of reports.',
    },
    too_many_exports: {
      status: 429,
      title: 'Too many exports',
      when: 'The account, or readers of the share link, are already downloading 4 reports from this server.',
    },
    report_not_finished: {
      status: 409,
      title: 'Report not finished',
      when: 'The report is still running, so an export of it would be incomplete.',
    },
    not_printable: {
      status: 503,
      title: 'Not printable',
      when: 'The server has no working browser to print a report as PDF, or is busy printing other reports.',
    },
    too_large_to_print: {
      status: 422,
      title: 'Too large to print',
      when: 'The report cannot be printed as PDF: printing takes longer than 60 seconds, or the file exceeds 64 MiB.',
    },
    internal: {
      status: 500,
      title: 'Internal error',
      when: 'An error in sitewarden.',
    },
  };

/** Returns the HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return ANSWERS[code]?.status ?? 500;
}

/** Returns when the API returns an error code; empty if it never does. */
export function meaningOf(code: ErrorCode): string {
  return ANSWERS[code]?.when ?? '';
}

/** An error response. */
export interface ErrorAnswer {
  readonly status: number;
  readonly document: {
    readonly errors: readonly ErrorItem[];
    readonly jsonapi: { readonly version: '1.0' };
  };
}

interface ErrorItem extends Problem {
  /** For `internal` only: the id of the request. */
  readonly id?: string;
  readonly status: string;
  readonly code: ErrorCode;
}

/** Returns the response to an error meant for the client; undefined for other errors. */
export function answerTo(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof AppError)) return undefined;
  const answer = ANSWERS[error.code];
  if (answer === undefined || error.code === 'internal') return undefined;
  const items = problemsOf(error, answer.title).map((problem) => {
    return { status: String(answer.status), code: error.code, ...problem };
  });
  return { status: answer.status, document: { errors: items, jsonapi: { version: '1.0' } } };
}

function problemsOf(error: AppError, title: string): readonly Problem[] {
  if (error instanceof RequestError) return error.problems;
  if (error instanceof InvalidAttribute) return [attributeProblem(error.attribute, error.problem)];
  return [{ title, detail: error.message }];
}

/** Returns the response to an internal error, which contains only the id of the request. */
export function internalErrorAnswer(id: string): ErrorAnswer {
  const detail = `Something went wrong on the server. Search its log for the id ${id}.`;
  const item = { id, status: '500', code: 'internal', title: 'Internal error', detail } as const;
  return { status: 500, document: { errors: [item], jsonapi: { version: '1.0' } } };
}

/** Creates the problem object for a query parameter: "The parameter page[size] must be a whole number from 1 to 100." */
export function parameterProblem(parameter: string, title: string): Problem {
  const name = shortName(parameter);
  const detail = `The parameter ${name} ${title}${title.endsWith('?') ? '' : '.'}`;
  return { title, detail, source: { parameter: name } };
}

/** Creates the problem object for an attribute: "Starting url has invalid format". */
export function attributeProblem(attribute: string, title: string): Problem {
  return problemOf(fault(attribute, title));
}

/** Returns the error for a request with invalid attributes. */
export function invalid(faults: readonly Fault[]): RequestError {
  return new RequestError('invalid', faults.map(problemOf));
}

function problemOf(of: Fault): Problem {
  const segments = namesIn(of).map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'));
  const source = { pointer: ['/data/attributes', ...segments].join('/') };
  return { title: phraseOf(of.message), detail: sentenceOf(of), source };
}
