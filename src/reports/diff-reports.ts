import { CHECK_KINDS } from '../checks/registry.ts';
import type { UnverifiedCause } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { ChangedIssueLists } from '../issues/changed-issues.ts';
import { ChangeTally } from '../issues/diff-pages.ts';
import { typeChanges } from '../issues/type-changes.ts';
import type { Executor } from '../store/database.ts';
import type { FoundChanges } from '../store/diffs/diffs.ts';
import { matchedUrl } from '../store/diffs/page-match.ts';
import {
  checkedPages,
  countIssues,
  nextUrls,
  type PageState,
  pageStates,
  urlsIn,
} from '../store/diffs/page-results.ts';
import { isCrawlSetting, isPageSetting } from '../store/reports/examined-settings.ts';
import type { ResultsAt } from '../store/reports/results-at-end.ts';
import { diffPages, pairOf } from './compared-pages.ts';

/** Pages compared at a time. */
const BATCH_PAGES = 100;

/**
 * Compares a report with an earlier one, page by page in the order of their URLs, so that reports of any size need little memory.
 * Pages of other origins are matched by the rest of their URLs.
 * @param at which results of the report to compare with the results at the end of the earlier one
 */
export async function diffReports(
  db: Executor,
  reportId: string,
  withId: string,
  at: ResultsAt = 'end',
): Promise<FoundChanges> {
  const pair = await pairOf(db, reportId, withId, at);
  const tally = new ChangeTally(!pair.settings.some(isPageSetting));
  const changed = new ChangedIssueLists();
  const hasSamePages = !pair.settings.some(isCrawlSetting);
  const hasSameChecks = !pair.settings.some(({ name }) => name === 'checks');
  for await (const urls of urlsOf(db, reportId)) {
    const states = await pageStates(db, reportId, urls, pair.at);
    const uncompared: Uncompared[] = [];
    for await (const { id = 0, url, checks, uncompared: left, earlier } of diffPages(db, pair, urls)) {
      const unchecked = whyUnchecked(states.get(url), hasSameChecks);
      for (const check of left)
        uncompared.push({ ...check, why: check.isCrowded ? 'too_many_occurrences' : unchecked });
      for (const [kind, check] of checks) tally.add(kind, check, earlier, (...of) => changed.add(id, ...of));
    }
    await addUnverified(db, tally, uncompared, pair.atBefore);
  }
  for await (const urls of urlsOf(db, withId)) {
    const there = urls.map((url) => matchedUrl(pair.match, url));
    const still = new Set(await urlsIn(db, reportId, there));
    const gone = await checkedPages(
      db,
      withId,
      urls.filter((_, index) => !still.has(there[index] ?? '')),
      { at: pair.atBefore },
    );
    const missing: Uncompared['why'] = hasSamePages ? 'page_missing' : 'settings';
    const checks = [...gone.values()].flatMap((page) =>
      [...page.checks.keys()].map((kind) => ({ page: page.id, kind, why: missing })),
    );
    await addUnverified(db, tally, checks, pair.atBefore);
  }
  const { at: read, atBefore } = pair;
  return { at: read, atBefore, kinds: CHECK_KINDS, types: typeChanges(tally.counts()), changed: changed.lists() };
}

/**
 * Returns why a page has no result of a check: it failed, or the reports have different checks.
 */
function whyUnchecked(page: PageState | undefined, hasSameChecks: boolean): Uncompared['why'] {
  if (!page?.isFailed) return hasSameChecks ? 'not_checked' : 'settings';
  return page.isGone ? 'page_gone' : 'not_checked';
}

/** A check of a page in the earlier report, and why it is not compared. */
interface Uncompared {
  readonly page: number;
  readonly kind: CheckKind;
  readonly why: UnverifiedCause | 'settings';
}

/** Adds the results of checks in the earlier report that are not compared. */
async function addUnverified(
  db: Executor,
  tally: ChangeTally,
  checks: readonly Uncompared[],
  at: ResultsAt,
): Promise<void> {
  const causes = new Map(checks.map(({ page, kind, why }) => [`${page} ${kind}`, why]));
  const issues = Map.groupBy(await countIssues(db, checks, at), ({ page, kind }) => `${page} ${kind}`);
  for (const [check, of] of issues) {
    if (of[0] !== undefined) tally.addUnverified(of[0].kind, of, causes.get(check) ?? 'not_checked');
  }
}

/** Yields the URLs of the pages of a report, in order, some at a time. */
export async function* urlsOf(db: Executor, reportId: string): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const urls = await nextUrls(db, reportId, after, BATCH_PAGES);
    if (urls.length > 0) yield urls;
    if (urls.length < BATCH_PAGES) return;
    after = urls.at(-1) ?? '';
  }
}
