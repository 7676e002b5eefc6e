import type { Membership } from '../domain/crawl.ts';
import { createExclusionMatcher, type ExcludingReport } from './exclusion-matcher.ts';
import { createInclusions } from './inclusion-matcher.ts';

/** Decides which pages of its site a report has. */
export interface UrlSelection {
  /** Whether a normalized URL of the site belongs to the report. Exclusions take precedence over inclusions. */
  select(url: string): Exclude<Membership, 'off_site'>;
  /** Whether the inclusions allow a normalized URL, regardless of exclusions. */
  includes(url: string): boolean;
}

/** The parts of a report's definition that select pages of its site. */
interface SelectingReport extends ExcludingReport {
  readonly inclusions: readonly string[];
}

/** @param isSignOut whether a link to a URL says that it signs out */
export function createUrlSelection(report: SelectingReport, isSignOut?: (url: string) => boolean): UrlSelection {
  const exclusionOf = createExclusionMatcher(report, isSignOut);
  const includes = createInclusions(report.inclusions);
  return {
    select(url) {
      if (exclusionOf(url) !== null) return 'excluded';
      return includes(url) ? 'inside' : 'not_included';
    },
    includes,
  };
}
