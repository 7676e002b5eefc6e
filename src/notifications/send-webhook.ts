import type { Failure } from '../domain/failures/failure.ts';
import type { HttpClient } from '../egress/http-client.ts';
import { HttpFault, toHttpFault } from '../egress/http-fault.ts';
import { busyForMs, type ResponseHead } from '../egress/response-head.ts';
import type { Clock } from '../platform/clock.ts';
import { fetchFailure } from '../spider/limited-request.ts';
import { signatureHeaders } from './channel-secrets.ts';

/** Limits of requests that deliver notifications: receivers should respond first and do their work afterward. */
export const webhookLimits = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
} as const;

/** The pause if a receiver asks to wait without saying how long. */
const BUSY_MS = 60_000;

/** The result of an attempt to deliver. */
export interface Attempt {
  /** Null if it was delivered. */
  readonly error: Failure | null;
  /** Null without a response, or if it was not sent over HTTP. */
  readonly httpStatus: number | null;
  /** How long the receiver asks to wait, in milliseconds; null if it does not. */
  readonly waitMs: number | null;
  /** Whether another attempt would have the same result. */
  readonly isFinal: boolean;
}

export function failedAttempt(error: Failure): Attempt {
  return { error, httpStatus: null, waitMs: null, isFinal: false };
}

export interface Post {
  /** The id of the delivery. */
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** The secrets that sign the body; none for receivers that verify nothing. */
  readonly secrets: readonly string[];
}

/**
 * Posts JSON to a URL through the address guard, without following redirects and without reading the response.
 * @throws the signal's reason when it is aborted
 */
export async function sendWebhook(
  { httpClient, clock }: { readonly httpClient: HttpClient; readonly clock: Clock },
  { id, url, body, secrets }: Post,
  signal: AbortSignal,
): Promise<Attempt> {
  const signature = secrets.length === 0 ? {} : signatureHeaders(secrets, { id, now: clock(), body });
  try {
    const head = await httpClient.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
      bodyMaxBytes: 0,
      wantsBody: () => false,
      signal,
    });
    return judge(head, clock());
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HttpFault)) throw error;
    return failedAttempt(failureOf(toHttpFault(error, null), url, httpClient));
  }
}

function judge(head: ResponseHead, now: Date): Attempt {
  const { status } = head;
  const waitMs = busyForMs(head, now.getTime(), BUSY_MS);
  const error = status >= 200 && status < 300 ? null : refusal(status);
  return { error, httpStatus: status, waitMs, isFinal: error?.code === 'receiver_gone' };
}

function refusal(status: number): Failure {
  if (status >= 300 && status < 400) return { code: 'receiver_redirects', params: { status } };
  return { code: status === 410 ? 'receiver_gone' : 'receiver_answered', params: { status } };
}

function failureOf(fault: HttpFault, url: string, { limits }: HttpClient): Failure {
  switch (fault.reason) {
    case 'headers_timeout':
      return { code: 'receiver_silent', params: { seconds: limits.headersTimeoutMs / 1_000 } };
    case 'request_timeout':
      return { code: 'receiver_silent', params: { seconds: limits.requestTimeoutMs / 1_000 } };
    default:
      return fetchFailure(fault, url, { ...limits, bodyMaxBytes: 0 });
  }
}
