import { type AccessName, type AnyFailure, inSeconds, listOf, typeInWords, type Wording } from './wording.ts';

interface Host {
  readonly host: string;
}
interface Seconds {
  readonly seconds: number;
}
interface Mebibytes {
  readonly mebibytes: number;
}
interface SignedIn {
  readonly names: readonly AccessName[];
}
interface Answer {
  readonly status: number;
}

const answered = ({ status }: Answer): string => `The page returned ${status}`;
const ifOverloaded = ({ nameOf }: Wording): string => `: if the server is overloaded, lower ${nameOf('rate_limit')}`;

/** Failures of requests for a URL. Without a full stop. */
export const FETCH_FAILURES = {
  address_refused: ({ host, is_name: isName }: Host & { readonly is_name: boolean }) =>
    `The address ${isName ? 'of ' : ''}${host} is on a private network, which is not allowed here: the operator of this installation can allow it (SITEWARDEN_ALLOW_PRIVATE_NETWORKS)`,
  port_refused: ({ port }: { readonly port: number }) =>
    `Port ${port} is reserved for another protocol: browsers do not open pages on it`,
  name_not_found: ({ host }: Host) => `The host name ${host} was not found: check its spelling and its DNS records`,
  name_lookup_failed: ({ host }: Host) =>
    `The host name ${host} could not be resolved: its name server returned an error`,
  name_lookup_timeout: ({ host }: Host) =>
    `The host name ${host} could not be resolved: the name server did not respond`,
  connection_refused: () =>
    'The connection was refused: nothing listens on that port, or a firewall rejects the connection',
  host_unreachable: () => 'The server could not be reached: it is switched off, or there is no route to it',
  connect_timeout: () =>
    'Connecting to the server timed out: it is overloaded or switched off, or a firewall drops the packets',
  certificate_expired: ({ host }: Host) => `The certificate of ${host} has expired: renew it`,
  certificate_not_yet_valid: ({ host }: Host) =>
    `The certificate of ${host} is not valid yet: check its dates, and the clock of this machine`,
  certificate_wrong_name: ({ host }: Host) =>
    `The certificate of the server is not valid for ${host}: it must include that name`,
  certificate_untrusted: ({ host }: Host) =>
    `The certificate of ${host} is not from a trusted authority, or its chain is incomplete: the server must also send the intermediate certificates`,
  tls_failed: () => 'A secure connection could not be established: check whether browsers open the page',
  connection_broken: () =>
    'The server closed the connection without a response: see its log, or the log of a firewall in front of it',
  headers_timeout: ({ seconds }: Seconds, wording: Wording) =>
    `The server did not respond within ${inSeconds(seconds)}${ifOverloaded(wording)}`,
  body_timeout: ({ seconds }: Seconds, wording: Wording) =>
    `The server sent no data for ${inSeconds(seconds)} in the middle of the page${ifOverloaded(wording)}`,
  request_timeout: ({ seconds }: Seconds, wording: Wording) =>
    `The page did not arrive within ${inSeconds(seconds)}${ifOverloaded(wording)}`,
  head_too_large: () => 'The headers of the response are too large: shorten or remove some, such as cookies',
  body_too_large: ({ mebibytes }: Mebibytes) => `The page is larger than ${mebibytes} MiB: split it into several pages`,
  body_incomplete: () =>
    'The server closed the connection before the page was complete: see its log, and check that Content-Length is right',
  body_undecodable: () => 'The page could not be decompressed: its Content-Encoding does not match its content',
  invalid_answer: () => "The server's response is not valid HTTP: `curl -v` may show what is wrong with it",
  fetch_failed: () => 'The page could not be fetched',

  error_status: (answer: Answer) => answered(answer),
  no_content: (answer: Answer) => `${answered(answer)} without content`,
  too_busy: ({ why }: { readonly why: AnyFailure }, { describe, nameOf }: Wording) =>
    `${describe(why)}: the site was too busy for this crawl; a lower ${nameOf('rate_limit')} may help`,
  basic_auth_wanted: (answer: Answer, { nameOf }: Wording) =>
    `${answered(answer)}: it requires a username and a password; set ${nameOf('basic_auth')}, which is sent to the origin of the starting URL`,
  sign_in_wanted: (answer: Answer, { nameOf }: Wording) =>
    `${answered(answer)}: it requires a login; set ${nameOf('login')}, ${nameOf('headers')} or ${nameOf('cookies')}, which are sent to the origin of the starting URL`,
  sign_in_not_accepted: ({ names, ...answer }: Answer & SignedIn, wording: Wording) =>
    `${answered(answer)}: the site does not accept the report's credentials (${listOf(names, wording)}), or no longer accepts them. Update them`,
  forbidden_despite_sign_in: ({ names, ...answer }: Answer & SignedIn, wording: Wording) =>
    `${answered(answer)}, although the report sends credentials (${listOf(names, wording)}). They may have expired, they may not grant access to this page, or the site may block bots`,
  redirect_without_location: () => 'The redirect has no valid Location',
  redirect_circle: () => 'The page redirects in a loop',
  redirect_circle_despite_sign_in: ({ names }: SignedIn, wording: Wording) =>
    `The page redirects in a loop. The site may not accept the report's credentials (${listOf(names, wording)}), or may require a cookie that it sets in the loop: cookies of the site are not kept`,
  too_many_redirects: ({ max }: { readonly max: number }) => `The page redirects more than ${max} times`,
  leads_to_sign_in: ({ url, names }: SignedIn & { readonly url: string }, wording: Wording) =>
    `The page redirects to ${url}, which looks like a login page, although the report sends credentials (${listOf(names, wording)}). They may not be accepted, or may have expired: update them`,
  leads_to_other_origin: ({ url, names }: SignedIn & { readonly url: string }, wording: Wording) =>
    `It redirects to ${url}, another origin, to which the report's credentials (${listOf(names, wording)}) are not sent. To send them, use that URL as the starting URL`,
  not_html: ({ content_type: type }: { readonly content_type: string }) =>
    `It is not an HTML page: the response ${typeInWords(type)}`,
  redirects_now: ({ url }: { readonly url: string }) => `The page now redirects to ${url}`,
  no_longer_html: ({ content_type: type }: { readonly content_type: string }) =>
    `The page is no longer HTML but ${type || 'of an unknown type'}`,

  excluded: ({ text }: { readonly text: string }) => `It matches the exclusion ${text}`,
  signs_out: () =>
    "Its URL looks like a logout, which would end the report's session. To visit it anyway, add it to the initial URLs",
  link_signs_out: () =>
    "The text of a link to it suggests that it signs the user out, which would end the report's session. To visit it anyway, add it to the initial URLs",
  robots_disallows: () => "The site's robots.txt disallows the page",
  robots_unreadable: ({ why }: { readonly why: AnyFailure }, { describe }: Wording) =>
    `The site's robots.txt could not be read (${describe(why)}), so every page counts as disallowed`,
  robots_error_status: ({ status }: { readonly status: number }) => `it returned ${status}`,
};
