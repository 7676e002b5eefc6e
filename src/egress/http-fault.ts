import { codeOf } from '../platform/errors.ts';
import { AddressRefusedError } from './address-guard.ts';
import { NameLookupError } from './name-resolver.ts';
import type { ResponseHead } from './response-head.ts';

/** Why a request has no usable response. */
export type HttpFaultReason =
  | 'address_refused'
  | 'port_refused'
  | 'name_not_found'
  | 'name_lookup_failed'
  | 'name_lookup_timeout'
  | 'connection_refused'
  | 'host_unreachable'
  | 'connect_timeout'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_wrong_name'
  | 'certificate_untrusted'
  | 'tls_failed'
  | 'connection_broken'
  | 'headers_timeout'
  | 'body_timeout'
  | 'request_timeout'
  | 'head_too_large'
  | 'body_too_large'
  | 'no_room'
  | 'body_incomplete'
  | 'body_undecodable'
  | 'invalid_answer'
  | 'unknown';

/** Thrown when a request has no usable response. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly reason: HttpFaultReason;
  /** The status and headers, if they were received; otherwise null. */
  readonly head: ResponseHead | null;

  constructor(reason: HttpFaultReason, options: { head?: ResponseHead | null; cause?: unknown } = {}) {
    super(`HTTP request failed: ${reason}`, { cause: options.cause });
    this.reason = reason;
    this.head = options.head ?? null;
  }
}

/** Error codes of the system, of TLS and of the HTTP client. */
const REASONS: ReadonlyMap<string, HttpFaultReason> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['EHOSTUNREACH', 'host_unreachable'],
  ['ENETUNREACH', 'host_unreachable'],
  ['EADDRNOTAVAIL', 'host_unreachable'],
  ['ETIMEDOUT', 'connect_timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['CERT_NOT_YET_VALID', 'certificate_not_yet_valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_wrong_name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate_untrusted'],
  ['CERT_UNTRUSTED', 'certificate_untrusted'],
  ['CERT_REVOKED', 'certificate_untrusted'],
  ['INVALID_CA', 'certificate_untrusted'],
  ['INVALID_PURPOSE', 'certificate_untrusted'],
  ['CERT_SIGNATURE_FAILURE', 'certificate_untrusted'],
  ['CERT_CHAIN_TOO_LONG', 'certificate_untrusted'],
  ['EPROTO', 'tls_failed'],
  ['ECONNRESET', 'connection_broken'],
  ['EPIPE', 'connection_broken'],
  ['ECONNABORTED', 'connection_broken'],
  ['UND_ERR_SOCKET', 'connection_broken'],
  ['UND_ERR_HEADERS_TIMEOUT', 'headers_timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'body_timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'head_too_large'],
  ['HPE_HEADER_OVERFLOW', 'head_too_large'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'body_incomplete'],
  ['HPE_INVALID_EOF_STATE', 'body_incomplete'],
]);

/**
 * Converts an error of the HTTP client.
 * @param head the status and headers, if they were received; otherwise null
 */
export function toHttpFault(error: unknown, head: ResponseHead | null): HttpFault {
  if (error instanceof HttpFault) return error;
  const reason = reasonOf(error);
  return new HttpFault(adjustReason(reason, head), { head, cause: error });
}

/** After the headers, a broken connection means an incomplete body. Before them, an incomplete body is impossible. */
function adjustReason(reason: HttpFaultReason, head: ResponseHead | null): HttpFaultReason {
  if (head !== null && reason === 'connection_broken') return 'body_incomplete';
  if (head === null && reason === 'body_incomplete') return 'invalid_answer';
  return reason;
}

function reasonOf(error: unknown): HttpFaultReason {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof NameLookupError) return error.reason;
  const code = codeOf(error);
  const reason = REASONS.get(code);
  if (reason !== undefined) return reason;
  // Some errors of the parser have no code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'invalid_answer';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls_failed';
  // When all addresses of a name fail, use the first error.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return 'unknown';
}
