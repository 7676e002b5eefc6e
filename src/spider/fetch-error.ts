import { isIP } from 'node:net';
import type { HttpFault } from '../egress/http-fault.ts';

/** What a site's owner reads when a page gave no document. A sentence without its full stop. */
export function faultMessage(fault: HttpFault, url: string, limits: FaultLimits): string {
  const host = new URL(url).hostname;
  switch (fault.reason) {
    case 'address_refused':
      return isIP(host.replace(/^\[|\]$/g, '')) === 0
        ? `The address of ${host} is on a private network, which is not allowed here`
        : `The address ${host} is on a private network, which is not allowed here`;
    case 'port_refused':
      return `The port ${new URL(url).port} belongs to another protocol: browsers open no pages there`;
    case 'name_not_found':
      return `The name ${host} could not be found`;
    case 'name_lookup_failed':
      return `The name ${host} could not be looked up: the name server did not answer`;
    case 'connection_refused':
      return 'The connection was refused';
    case 'host_unreachable':
      return 'The server could not be reached';
    case 'connect_timeout':
      return 'The server could not be connected to in time';
    case 'certificate_expired':
      return `The certificate of ${host} has expired`;
    case 'certificate_not_yet_valid':
      return `The certificate of ${host} is not valid yet`;
    case 'certificate_wrong_name':
      return `The certificate that the server showed is not for ${host}`;
    case 'certificate_untrusted':
      return `The certificate of ${host} is not from a trusted authority, or its chain is incomplete`;
    case 'tls_failed':
      return 'A secure connection could not be made';
    case 'connection_broken':
      return 'The server closed the connection without an answer';
    case 'headers_timeout':
      return `The server did not answer within ${seconds(limits.headersTimeoutMs)}`;
    case 'body_timeout':
      return `The server stopped sending the page for ${seconds(limits.bodyIdleTimeoutMs)}`;
    case 'request_timeout':
      return `The page did not arrive within ${seconds(limits.requestTimeoutMs)}`;
    case 'head_too_large':
      return "The server's answer has too many or too long headers";
    case 'body_too_large':
      return `The page is larger than ${limits.bodyMaxBytes / 1_048_576} MiB`;
    case 'no_room':
      return 'There was no room for the page';
    case 'body_incomplete':
      return 'The server closed the connection before the page was complete';
    case 'body_undecodable':
      return "The page's compression could not be undone: its Content-Encoding does not fit its content";
    case 'invalid_answer':
      return "The server's answer is not valid HTTP";
    case 'unknown':
      return 'The page could not be fetched';
  }
}

/** The limits that the sentences name. */
export interface FaultLimits {
  readonly headersTimeoutMs: number;
  readonly bodyIdleTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly bodyMaxBytes: number;
}

function seconds(ms: number): string {
  return ms === 1_000 ? '1 second' : `${ms / 1_000} seconds`;
}
