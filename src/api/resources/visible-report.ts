import { accessTo, mayReadContent, type Viewer } from '../../accounts/access.ts';
import { passedPages } from '../../domain/counts.ts';
import type { CountsAtEnd, ReportCheckCounts, ReportWithChecks, VisibleReport } from '../../store/reports/reports.ts';
import { visibleChecks } from '../http/pro-features.ts';

/** The properties of a report's reader that decide what the report shows. */
export type ReportViewer = Pick<Viewer, 'accountId' | 'link' | 'plan' | 'scope'>;

/**
 * Returns a report without the checks that a viewer cannot see, without what is computed from all checks unless the viewer sees
 * all of them, without changes since a report that the viewer cannot see, and without the name of the account that signed in to
 * the site for readers who may not read the content of its pages.
 */
export function visibleReport(whole: ReportWithChecks, viewer: ReportViewer): VisibleReport {
  const report = mayReadContent(whole, viewer) ? whole : { ...whole, signed_in_as: null };
  const checks = visibleChecks(viewer, report.checks);
  const change = accessTo(report, viewer) !== 'all' ? undefined : seesPrevious(report, viewer) ? report.change : null;
  if (Object.keys(report.checks).length === Object.keys(checks).length) return { ...report, change };
  const pages = pagesOf(Object.values(checks));
  const computed = { fix_effect: null, insights_pending: true, num_failing: null, change: change && null };
  return { ...report, checks, ...pages, ...computed, at_end: report.at_end && visibleAtEnd(report.at_end, viewer) };
}

function visibleAtEnd({ checks: all }: CountsAtEnd, viewer: ReportViewer): VisibleReport['at_end'] {
  const checks = visibleChecks(viewer, all);
  return { checks, ...pagesOf(Object.values(checks)) };
}

/**
 * Counts the pages of a report if a viewer sees only some kinds of check; null for several, whose common counts are not stored.
 */
function pagesOf([counts, ...more]: readonly Pick<ReportCheckCounts, 'checked' | 'with_errors'>[]): Pick<
  VisibleReport,
  'checked_pages' | 'passed_pages'
> {
  if (counts === undefined || more.length > 0) return { checked_pages: null, passed_pages: null };
  return { checked_pages: counts.checked, passed_pages: passedPages(counts) };
}

/**
 * Returns whether viewers who can see more than a report see the previous report: a host sees the reports that its guest created
 * while it was its guest.
 */
export function seesPrevious({ previous, ...report }: ReportWithChecks, viewer: Pick<Viewer, 'accountId'>): boolean {
  if (previous === null) return false;
  return report.account_id === viewer.accountId || previous.guest_account_id === report.guest_account_id;
}
