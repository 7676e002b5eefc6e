import type { FrontierEntry, Membership } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { KnownUrls } from './known-urls.ts';
import { redirectsMax } from './limits.ts';

/** The failure of a page whose redirects lead back to it. */
export const REDIRECT_CIRCLE: Failure = { code: 'redirect_circle', params: {} };

/**
 * What to do about a redirect: request its target, end the visit there because the target is known or not part of the
 * report, or fail the page.
 */
export type RedirectStep = 'follow' | 'stop' | 'circle' | 'too_many';

/** Decides which redirects of a crawl are followed. */
export interface RedirectPolicy {
  /**
   * Whether a redirect to `url` may be followed: to a new URL that belongs to the report. The redirects of the starting URL
   * determine what the site is, so they may lead anywhere. The redirects of initial URLs may lead to pages that are not included,
   * because the links on these pages count.
   */
  mayFollow(entry: FrontierEntry, url: string): boolean;
  /** What to do about a redirect to `url` after the earlier redirects, `hops`, of a visit. */
  redirectStep(entry: FrontierEntry, hops: readonly string[], url: string): RedirectStep;
}

export function createRedirectPolicy(
  known: Pick<KnownUrls, 'has'>,
  membershipOf: (url: string) => Membership,
): RedirectPolicy {
  const mayFollow = (entry: FrontierEntry, url: string): boolean => {
    if (known.has(url)) return false;
    if (entry.position === 0) return true;
    const membership = membershipOf(url);
    return membership === 'inside' || (membership === 'not_included' && entry.linkedFrom === null);
  };
  return {
    mayFollow,
    redirectStep(entry, hops, url) {
      if (url === entry.url || hops.includes(url)) return 'circle';
      if (hops.length >= redirectsMax) return 'too_many';
      return mayFollow(entry, url) ? 'follow' : 'stop';
    },
  };
}
