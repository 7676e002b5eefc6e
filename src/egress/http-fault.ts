import { codeOf } from '../platform/errors.ts';
import { AddressRefusedError } from './address-guard.ts';
import { NameLookupError } from './name-resolver.ts';
import type { ResponseHead } from './response-head.ts';

/** Why a request gave no usable answer. */
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

/** A request that gave no usable answer. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly reason: HttpFaultReason;
  /** The head of the answer when it had come, else null. */
  readonly head: ResponseHead | null;

  constructor(reason: HttpFaultReason, options: { head?: ResponseHead | null; cause?: unknown } = {}) {
    super(`HTTP request failed: ${reason}`, { cause: options.cause });
    this.reason = reason;
    this.head = options.head ?? null;
  }
}

/** Codes of the system, of TLS and of the HTTP client, as they come. */
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
 * What stands behind an error of the HTTP client.
 *
 * @param head the head of the answer when it had come, else null
 */
export function toHttpFault(error: unknown, head: ResponseHead | null): HttpFault {
  if (error instanceof HttpFault) return error;
  const reason = reasonOf(error);
  return new HttpFault(inContext(reason, head), { head, cause: error });
}

/** Once an answer has begun, a broken connection means that its rest is missing; before, no length can be wrong. */
function inContext(reason: HttpFaultReason, head: ResponseHead | null): HttpFaultReason {
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
  // The parser's errors go by name, since some of them come without a code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'invalid_answer';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return 'tls_failed';
  // When several addresses of a name fail, the first failure speaks for all.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return 'unknown';
}
