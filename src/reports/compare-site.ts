import type { CheckKind } from '../domain/check.ts';
import { errorsIn } from '../domain/counts.ts';
import type { Executor } from '../store/database.ts';
import type { ComparedFor } from '../store/diffs/diffs.ts';
import type { PageMatch } from '../store/diffs/page-match.ts';
import { readSiteChanges, type SiteChanges } from '../store/diffs/site-changes.ts';
import { type PageCounts, pageCountsOf } from '../store/pages/page-counts.ts';
import { findFullReport } from '../store/reports/complete-reports.ts';
import type { SettingChange } from '../store/reports/examined-settings.ts';
import type { ReportCreators, VisibleReport } from '../store/reports/reports.ts';
import { pairOf } from './compared-pages.ts';
import { compareWith } from './compute-insights.ts';

/** The part of a site's history that is compared. Times are the ends of days. */
export interface Period {
  readonly siteId: string;
  /** The creators whose reports count; null for all reports of the site. */
  readonly creators: ReportCreators | null;
  /** Where it begins: with the first report, with the report before the last one, or with the last report before a time. */
  readonly since: 'first' | 'previous' | Date;
  /** The last report before this time ends it; null for the newest report. */
  readonly until: Date | null;
}

/** The two reports that are compared for a period. */
export interface EndsOfPeriod {
  /** Null if no report had finished by then. */
  readonly now: string | null;
  /** The same as `now` if the period has one report; null without `now`, and without a previous report. */
  readonly before: string | null;
  /** Whether `before` is the first report after the beginning, because there is none before it. */
  readonly isLater: boolean;
}

/** Finds the two reports to compare for a period: only full reports. */
export async function findEnds(db: Executor, { siteId, creators, since, until }: Period): Promise<EndsOfPeriod> {
  const find = (wanted: Parameters<typeof findFullReport>[3]) => findFullReport(db, siteId, creators, wanted);
  const now = await find(until === null ? 'newest' : { finishedBefore: until });
  if (now === undefined) return { now: null, before: null, isLater: false };
  if (since === 'previous') return { now, before: (await find({ beforeReport: now })) ?? null, isLater: false };
  if (since === 'first') return { now, before: (await find('first')) ?? null, isLater: false };
  const before = await find({ finishedBefore: since });
  if (before !== undefined) return { now, before, isLater: false };
  return { now, before: (await find({ finishedFrom: since })) ?? null, isLater: true };
}

/** What changed between the two reports of a period. */
export interface SiteComparison extends SiteChanges {
  readonly match: PageMatch;
  readonly settings: readonly SettingChange[];
  /** Whether both reports are still in the states that were compared. */
  readonly isCurrent: boolean;
}

/** Who reads a comparison, and how much of it. */
export interface ComparisonReader {
  readonly kinds: readonly CheckKind[];
  readonly of: ComparedFor;
  /** Rows of each list. */
  readonly max: number;
}

/**
 * Compares the two reports of a period, as they ended, as `GET /reports/{id}/changes` does.
 * @returns null if one of them was deleted in the meantime
 * @throws RetryLater too_many_comparisons
 */
export async function compareSite(
  db: Executor,
  { now, before }: { readonly now: string; readonly before: string },
  reader: ComparisonReader,
): Promise<SiteComparison | null> {
  const diff = await compareWith(db, { id: now }, before, 'end', reader.of);
  if (diff === undefined) return null;
  const { match, settings, at, atBefore } = await pairOf(db, now, before);
  const compared = { id: diff.id, reportId: now, withId: before, at, atBefore, match };
  const changes = await readSiteChanges(db, compared, reader.kinds, reader.max);
  // The diff was replaced in the meantime.
  if (changes === null) return compareSite(db, { now, before }, reader);
  return { ...changes, match, settings, isCurrent: diff.is_current };
}

/** A period of a site with everything that is shown of it, for the API and for files. */
export interface ComparedPeriod {
  readonly site: { readonly id: string; readonly name: string; readonly starting_url: string };
  /** Where the period begins: a day such as `2026-02-14`, `first` or `previous`. */
  readonly since: string;
  /** The last day; null for the newest report. */
  readonly until: string | null;
  readonly now: VisibleReport | null;
  readonly before: VisibleReport | null;
  readonly isLater: boolean;
  /** Null unless there are two reports. */
  readonly comparison: SiteComparison | null;
  /** The settings that differ, as the reader sees them. */
  readonly settings: readonly SettingChange[];
}

/** The numbers of a report when it ended. */
export interface EndNumbers {
  readonly errors: number;
  readonly num_pages: number;
  readonly pages: PageCounts | null;
}

export function numbersOfEnd(report: VisibleReport): EndNumbers {
  const { checks, ...pages } = report.at_end ?? report;
  return { errors: errorsIn(Object.values(checks)), num_pages: report.num_pages, pages: pageCountsOf(pages) };
}
