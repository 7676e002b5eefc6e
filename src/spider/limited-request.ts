import { isIP } from 'node:net';
import type { Failure } from '../domain/failures/failure.ts';
import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import type { HttpFault } from '../egress/http-fault.ts';
import type { Credentials } from './credentials.ts';
import type { Slot } from './slot-queue.ts';

/** The limits mentioned in failures. */
export type FaultLimits = HttpClient['limits'] & Pick<HttpRequest, 'bodyMaxBytes'>;
type HttpRequest = Parameters<HttpClient['request']>[0];

/** The limits that timeouts exceed. */
const LIMITS_OF = {
  headers_timeout: 'headersTimeoutMs',
  body_timeout: 'bodyIdleTimeoutMs',
  request_timeout: 'requestTimeoutMs',
} as const;

/** Returns the failure to show when a URL gave no usable response. */
export function fetchFailure({ reason }: HttpFault, url: string, limits: FaultLimits): Failure {
  const { hostname: host, port } = new URL(url);
  switch (reason) {
    case 'address_refused':
      return { code: reason, params: { host, is_name: isIP(host.replace(/^\[|\]$/g, '')) === 0 } };
    case 'port_refused':
      return { code: reason, params: { port: Number(port) } };
    case 'name_not_found':
    case 'name_lookup_failed':
    case 'name_lookup_timeout':
    case 'certificate_expired':
    case 'certificate_not_yet_valid':
    case 'certificate_wrong_name':
    case 'certificate_untrusted':
      return { code: reason, params: { host } };
    case 'headers_timeout':
    case 'body_timeout':
    case 'request_timeout':
      return { code: reason, params: { seconds: limits[LIMITS_OF[reason]] / 1_000 } };
    case 'body_too_large':
      return { code: reason, params: { mebibytes: limits.bodyMaxBytes / 1_048_576 } };
    case 'no_room':
    case 'unknown':
      return { code: 'fetch_failed', params: {} };
    default:
      return { code: reason, params: {} };
  }
}

interface SlotRequest extends Omit<HttpRequest, 'onWritten' | 'onAnswered' | 'onOver'> {
  readonly credentials?: Credentials | undefined;
}

/**
 * Sends a request in a slot of a limiter, and reports its progress to the limiter. The caller acquires the slot, so that it can
 * distinguish errors of the limiter, which may use the database, from errors of the site.
 * @throws errors of the HTTP client, and the signal's reason
 */
export async function requestInSlot(
  httpClient: HttpClient,
  slot: Slot,
  { credentials, ...request }: SlotRequest,
): Promise<HttpResponse> {
  try {
    const response = await httpClient.request({
      ...request,
      headers: { ...request.headers, ...credentials?.headersFor(request.url) },
      onWritten: () => slot.written(),
      onAnswered: () => slot.answered(),
      onOver: () => slot.over(),
    });
    credentials?.received(request.url, response.headers);
    return response;
  } catch (error) {
    slot.over();
    throw error;
  }
}
