import { isIP } from 'node:net';
import type { HttpFault } from '../egress/http-fault.ts';

const IF_OVERLOADED = ': a lower rate_limit helps a server that is overloaded';

/** What a site's owner reads when a page gave no document: what happened, and what may be done. Without its full stop. */
export function faultMessage(fault: HttpFault, url: string, limits: FaultLimits): string {
  const host = new URL(url).hostname;
  switch (fault.reason) {
    case 'address_refused':
      return isIP(host.replace(/^\[|\]$/g, '')) === 0
        ? `The address of ${host} is on a private network, which is not allowed here: whoever runs this service may allow it`
        : `The address ${host} is on a private network, which is not allowed here: whoever runs this service may allow it`;
    case 'port_refused':
      return `The port ${new URL(url).port} belongs to another protocol: browsers open no pages there`;
    case 'name_not_found':
      return `The name ${host} could not be found: see whether it is spelled right and its DNS records are there`;
    case 'name_lookup_failed':
      return `The name ${host} could not be looked up: its name server answered with an error`;
    case 'name_lookup_timeout':
      return `The name ${host} could not be looked up: the name server did not answer`;
    case 'connection_refused':
      return 'The connection was refused: nothing listens at that port, or a firewall turns us away';
    case 'host_unreachable':
      return 'The server could not be reached: it is switched off, or no network leads there';
    case 'connect_timeout':
      return 'The server could not be connected to in time: it is overloaded or switched off, or a firewall drops what we send';
    case 'certificate_expired':
      return `The certificate of ${host} has expired: renew it`;
    case 'certificate_not_yet_valid':
      return `The certificate of ${host} is not valid yet: see its dates, and the clock of this machine`;
    case 'certificate_wrong_name':
      return `The certificate that the server showed is not for ${host}: it needs one with that name`;
    case 'certificate_untrusted':
      return `The certificate of ${host} is not from a trusted authority, or its chain is incomplete: the server has to send the certificates in between, too`;
    case 'tls_failed':
      return 'A secure connection could not be made: see whether browsers open the page';
    case 'connection_broken':
      return 'The server closed the connection without an answer: its log may say why, or that of a firewall before it';
    case 'headers_timeout':
      return `The server did not answer within ${seconds(limits.headersTimeoutMs)}${IF_OVERLOADED}`;
    case 'body_timeout':
      return `The server stopped sending the page for ${seconds(limits.bodyIdleTimeoutMs)}${IF_OVERLOADED}`;
    case 'request_timeout':
      return `The page did not arrive within ${seconds(limits.requestTimeoutMs)}${IF_OVERLOADED}`;
    case 'head_too_large':
      return "The server's answer has too many or too long headers: shorten or remove some, such as cookies";
    case 'body_too_large':
      return `The page is larger than ${limits.bodyMaxBytes / 1_048_576} MiB: divide it`;
    case 'no_room':
      return 'There was no room for the page';
    case 'body_incomplete':
      return 'The server closed the connection before the page was complete: its log may say why, or its Content-Length is wrong';
    case 'body_undecodable':
      return "The page's compression could not be undone: its Content-Encoding does not fit its content";
    case 'invalid_answer':
      return "The server's answer is not valid HTTP: `curl -v` may show what is wrong with it";
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
