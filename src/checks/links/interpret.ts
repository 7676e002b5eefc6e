import type { Certainty, FoundIssue } from '../../domain/check.ts';
import type { HttpFaultReason } from '../../egress/http-fault.ts';
import type { Interpretation } from '../check-engine.ts';
import type { LinkAnswer, PageLinksAnswered } from './ask-link.ts';

/** A problem with a link. */
interface Fault {
  readonly type: Certainty;
  readonly ruleId: string;
  /** Follows "Link" in the message: `answers 404`. */
  readonly says: string;
  readonly tag: string;
}

/** The tag of links that were not requested. */
export const NOT_CHECKED = 'not checked';

const FAULTS: Readonly<Record<HttpFaultReason, readonly [type: Certainty, says: string, tag: string]>> = {
  address_refused: ['warning', 'points to a private network, which this service must not access', NOT_CHECKED],
  port_refused: ['warning', 'points to a port of another protocol, on which browsers do not open pages', NOT_CHECKED],
  name_not_found: ['error', 'points to a host name that does not exist', 'name'],
  name_lookup_failed: ['warning', 'points to a host name that could not be resolved', 'name'],
  name_lookup_timeout: ['warning', 'points to a host name that could not be resolved in time', 'name'],
  connection_refused: ['error', 'points to a server that refuses connections', 'connection'],
  host_unreachable: ['error', 'points to a server that cannot be reached', 'connection'],
  connect_timeout: ['warning', 'points to a server that did not accept the connection in time', 'time-out'],
  certificate_expired: ['error', 'points to a server whose certificate has expired', 'certificate'],
  certificate_not_yet_valid: ['error', 'points to a server whose certificate is not valid yet', 'certificate'],
  certificate_wrong_name: ['error', 'points to a server whose certificate is for another name', 'certificate'],
  certificate_untrusted: ['error', 'points to a server whose certificate is not trusted', 'certificate'],
  tls_failed: ['error', 'points to a server that does not support a secure connection', 'certificate'],
  connection_broken: ['warning', 'points to a server that closed the connection without a response', 'connection'],
  headers_timeout: ['warning', 'got no response in time', 'time-out'],
  body_timeout: ['warning', 'got no response in time', 'time-out'],
  request_timeout: ['warning', 'got no response in time', 'time-out'],
  head_too_large: ['warning', 'got a response with too many headers', 'connection'],
  body_too_large: ['warning', 'got a response that is too large', 'connection'],
  no_room: ['warning', 'got a response that is too large', 'connection'],
  body_incomplete: ['warning', 'got an incomplete response', 'connection'],
  body_undecodable: ['warning', 'got a response that cannot be decoded', 'connection'],
  invalid_answer: ['error', 'got a response that is not HTTP', 'connection'],
  unknown: ['warning', 'could not be requested', 'connection'],
};

/**
 * Statuses with which servers reject automated requests, while people may have access: after signing in, later, or after proving
 * that they are human.
 */
const TURNED_AWAY: readonly number[] = [401, 402, 403, 407, 418, 429, 451, 503, 999];

/** Interprets the output of the engine, which is trusted to have the expected type. */
export function interpretLinks(answer: Uint8Array, pageUrl: string): Interpretation {
  const json = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8');
  const { links }: PageLinksAnswered = JSON.parse(json);
  const issues = links.flatMap((link) => {
    const fault = faultOf(link.answer);
    return fault === null ? [] : [issueOf(link, fault, pageUrl)];
  });
  const unchecked = links.filter((link) => link.answer.kind === 'not_checked').map(({ url }) => url);
  if (unchecked.length > 0) issues.push(uncheckedIssue(unchecked, pageUrl));
  return { issues, notes: [], engineVersion: null, rawCheck: () => ({ json, omitted: 0 }) };
}

function faultOf(answer: LinkAnswer): Fault | null {
  switch (answer.kind) {
    case 'status':
      return answer.status < 400 ? null : faultOfStatus(answer.status);
    case 'fault': {
      const [type, says, tag] = FAULTS[answer.reason];
      return { type, ruleId: answer.reason, says, tag };
    }
    case 'redirect_loop':
      return {
        // Browsers keep cookies, unlike this check.
        type: answer.setsCookies ? 'warning' : 'error',
        ruleId: answer.kind,
        says: `redirects in a loop${answer.setsCookies ? ' for visitors without cookies' : ''}`,
        tag: 'redirect',
      };
    case 'too_many_redirects':
      return { type: 'error', ruleId: answer.kind, says: 'redirects too many times', tag: 'redirect' };
    case 'redirect_without_target':
      return {
        type: 'error',
        ruleId: answer.kind,
        says: `returns ${answer.status} without a valid Location`,
        tag: 'redirect',
      };
    case 'not_checked':
      return null;
  }
}

function faultOfStatus(status: number): Fault {
  const isTurnedAway = TURNED_AWAY.includes(status);
  const tag = isTurnedAway ? 'turned away' : status < 500 ? 'client error' : 'server error';
  return { type: isTurnedAway ? 'warning' : 'error', ruleId: `http_${status}`, says: `returns ${status}`, tag };
}

/** Returns one issue per link, so that a common issue lists all pages with that link. */
function issueOf({ url, answer }: PageLinksAnswered['links'][number], fault: Fault, pageUrl: string): FoundIssue {
  const { type, ruleId, says, tag } = fault;
  const finalUrl = 'url' in answer ? answer.url : url;
  return {
    ...UNGRADED,
    ...{ type, ruleId, message: `Link ${says}: ${url}`, tags: [tag], url: pageUrl, howMany: 1 },
    occurrences: [{ url, final_url: finalUrl }],
  };
}

function uncheckedIssue(urls: readonly string[], pageUrl: string): FoundIssue {
  const message = 'Some links were not checked because the page has too many links or their hosts are too slow';
  return {
    ...UNGRADED,
    ...{ type: 'warning', ruleId: 'not_checked', message, tags: [NOT_CHECKED], url: pageUrl, howMany: urls.length },
    occurrences: urls.map((url) => ({ url, final_url: url })),
  };
}

const UNGRADED = { subType: null, helpUrl: null, impact: null } as const;
