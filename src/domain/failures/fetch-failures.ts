import { type AccessName, type AnyFailure, inSeconds, listOf, type Telling, typeInWords } from './telling.ts';

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

const answered = ({ status }: Answer): string => `The page answered ${status}`;
const ifOverloaded = ({ nameOf }: Telling): string =>
  `: a lower ${nameOf('rate_limit')} helps a server that is overloaded`;

/** Why a URL gave no document. Without a full stop. */
export const FETCH_FAILURES = {
  address_refused: ({ host, is_name: isName }: Host & { readonly is_name: boolean }) =>
    `The address ${isName ? 'of ' : ''}${host} is on a private network, which is not allowed here: whoever runs this service may allow it`,
  port_refused: ({ port }: { readonly port: number }) =>
    `The port ${port} belongs to another protocol: browsers open no pages there`,
  name_not_found: ({ host }: Host) =>
    `The name ${host} could not be found: see whether it is spelled right and its DNS records are there`,
  name_lookup_failed: ({ host }: Host) =>
    `The name ${host} could not be looked up: its name server answered with an error`,
  name_lookup_timeout: ({ host }: Host) => `The name ${host} could not be looked up: the name server did not answer`,
  connection_refused: () => 'The connection was refused: nothing listens at that port, or a firewall turns us away',
  host_unreachable: () => 'The server could not be reached: it is switched off, or no network leads there',
  connect_timeout: () =>
    'The server could not be connected to in time: it is overloaded or switched off, or a firewall drops what we send',
  certificate_expired: ({ host }: Host) => `The certificate of ${host} has expired: renew it`,
  certificate_not_yet_valid: ({ host }: Host) =>
    `The certificate of ${host} is not valid yet: see its dates, and the clock of this machine`,
  certificate_wrong_name: ({ host }: Host) =>
    `The certificate that the server showed is not for ${host}: it needs one with that name`,
  certificate_untrusted: ({ host }: Host) =>
    `The certificate of ${host} is not from a trusted authority, or its chain is incomplete: the server has to send the certificates in between, too`,
  tls_failed: () => 'A secure connection could not be made: see whether browsers open the page',
  connection_broken: () =>
    'The server closed the connection without an answer: its log may say why, or that of a firewall before it',
  headers_timeout: ({ seconds }: Seconds, telling: Telling) =>
    `The server did not answer within ${inSeconds(seconds)}${ifOverloaded(telling)}`,
  body_timeout: ({ seconds }: Seconds, telling: Telling) =>
    `The server stopped sending the page for ${inSeconds(seconds)}${ifOverloaded(telling)}`,
  request_timeout: ({ seconds }: Seconds, telling: Telling) =>
    `The page did not arrive within ${inSeconds(seconds)}${ifOverloaded(telling)}`,
  head_too_large: () => "The server's answer has too many or too long headers: shorten or remove some, such as cookies",
  body_too_large: ({ mebibytes }: Mebibytes) => `The page is larger than ${mebibytes} MiB: divide it`,
  body_incomplete: () =>
    'The server closed the connection before the page was complete: its log may say why, or its Content-Length is wrong',
  body_undecodable: () => "The page's compression could not be undone: its Content-Encoding does not fit its content",
  invalid_answer: () => "The server's answer is not valid HTTP: `curl -v` may show what is wrong with it",
  fetch_failed: () => 'The page could not be fetched',

  error_status: (answer: Answer) => answered(answer),
  no_content: (answer: Answer) => `${answered(answer)} without content`,
  too_busy: ({ why }: { readonly why: AnyFailure }, { tell, nameOf }: Telling) =>
    `${tell(why)}: the site was too busy for this crawl; a lower ${nameOf('rate_limit')} may help`,
  basic_auth_wanted: (answer: Answer, { nameOf }: Telling) =>
    `${answered(answer)}: it asks for a user name and a password, which ${nameOf('basic_auth')} gives to the origin of the starting URL`,
  sign_in_wanted: (answer: Answer, { nameOf }: Telling) =>
    `${answered(answer)}: it wants visitors to sign in, which ${nameOf('headers')} or ${nameOf('cookies')} do at the origin of the starting URL`,
  sign_in_not_accepted: ({ names, ...answer }: Answer & SignedIn, telling: Telling) =>
    `${answered(answer)}: the site does not accept what the report signs in with (${listOf(names, telling)}), or no longer does. Give it anew`,
  forbidden_despite_sign_in: ({ names, ...answer }: Answer & SignedIn, telling: Telling) =>
    `${answered(answer)}, although the report signs in (${listOf(names, telling)}). Perhaps that has expired or is not enough for this page, or the site keeps robots out`,
  redirect_without_location: () => 'The redirect has no or an invalid Location',
  redirect_circle: () => 'The page redirects in a circle',
  redirect_circle_despite_sign_in: ({ names }: SignedIn, telling: Telling) =>
    `The page redirects in a circle. Perhaps the site does not accept what the report signs in with (${listOf(names, telling)}), or waits for a cookie that it sets on the way: none of its own is kept`,
  too_many_redirects: ({ max }: { readonly max: number }) => `The page redirects more than ${max} times`,
  leads_to_sign_in: ({ url, names }: SignedIn & { readonly url: string }, telling: Telling) =>
    `The page leads to ${url}, which looks like a page to sign in on, although the report signs in (${listOf(names, telling)}). Perhaps that is not accepted, or no longer: give it anew`,
  leads_to_other_origin: ({ url, names }: SignedIn & { readonly url: string }, telling: Telling) =>
    `It leads to ${url}, another origin, to which nothing is sent that the report signs in with (${listOf(names, telling)}). Start from there to have it sent`,
  not_html: ({ content_type: type }: { readonly content_type: string }) =>
    `It is no HTML page: its answer ${typeInWords(type)}`,
  redirects_now: ({ url }: { readonly url: string }) => `The page now redirects to ${url}`,
  no_longer_html: ({ content_type: type }: { readonly content_type: string }) =>
    `The page is no longer HTML but ${type || 'of no known type'}`,

  excluded: ({ text }: { readonly text: string }) => `The exclusion ${text} leaves it out`,
  signs_out: () =>
    'By its address it signs out, which would end the session that the report signs in with. As an initial URL it is visited all the same',
  robots_disallows: () => "The site's robots.txt disallows the page",
  robots_unreadable: ({ why }: { readonly why: AnyFailure }, { tell }: Telling) =>
    `The site's robots.txt could not be read (${tell(why)}), which counts as disallowing everything`,
  robots_error_status: ({ status }: { readonly status: number }) => `it answered ${status}`,
};
