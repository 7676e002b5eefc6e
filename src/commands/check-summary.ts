import { pageName } from '../../packages/client/marks.ts';
import { styleRuleWords } from '../../packages/client/occurrences.ts';
import { severeFreeWords } from '../../packages/client/severe-free.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { alsoFixedWords, CHECK_KINDS, ENGINES, followsStandard, measuredByIn } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { noteText } from '../domain/check-note.ts';
import { errorsIn, foundIn, foundWords, severeFree } from '../domain/counts.ts';
import { cutShortBy } from '../domain/crawl.ts';
import { fullSentenceOf, sentenceOf } from '../domain/failures/failure.ts';
import { fixEffectWords } from '../domain/fix-effect.ts';
import { FIXES_MAX } from '../issues/plan-fixes.ts';
import type { Database } from '../store/database.ts';
import { type CommonIssueRow, countMuted, listCommonIssues } from '../store/issues/common-issues.ts';
import { countCausesLeftOut, type ListedFix, listFixes } from '../store/issues/fixes.ts';
import { rowsOf } from '../store/listing.ts';
import { findWebPage, listNotedPages, listWebPages } from '../store/pages/web-pages.ts';
import { countOutcomes, type OutcomeCounts, type ShownOutcome } from '../store/reports/discovered-urls.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import { optionName } from './attribute-options.ts';
import {
  firstOccurrencesOf,
  firstPageOf,
  ISSUE_TYPES_SHOWN,
  messageLine,
  printIssueType,
  sourceLine,
} from './print-issue-type.ts';
import { createSummary, type Summary, type SummaryOptions } from './summary-output.ts';
import { duration, plainLine } from './text-layout.ts';

const FAILED_PAGES_SHOWN = 10;
const NOTED_PAGES_SHOWN = 5;
const FIXES_SHOWN = 3;
/** Columns before the text of a fix, which hold its number. */
const FIX_INDENT = 5;

/** Why discovered URLs are not pages of the report, except for outcomes that are reported elsewhere. */
const LEFT_OUT: readonly (readonly [ShownOutcome, reason: string])[] = [
  ['over_max_pages', 'over --max-pages'],
  ['not_visited', 'not visited'],
  ['too_deep', 'too deep'],
  ['not_listed', 'not in the sitemap'],
  ['not_included', 'not included'],
  ['excluded', 'excluded'],
  ['robots', 'disallowed by robots.txt'],
  ['not_html', 'not HTML'],
  ['duplicate', 'duplicates'],
  ['off_site', 'on other sites'],
];

/**
 * Prints the checked pages, the worst issue types with their occurrences, and what to fix first. Does not print why a report
 * failed: the command prints that at its end.
 * @param listsIssues whether to list issues and what to fix; otherwise only how many there are
 */
export async function printSummary(
  db: Database,
  report: ReportWithChecks,
  options: SummaryOptions,
  listsIssues = true,
): Promise<void> {
  const summary = createSummary(db, report, options);
  const { line } = summary;
  line();
  await printHead(summary);
  if (report.status === 'failed') {
    // A single page failed for the same reason as the report.
    if (report.num_pages > 1) await printFailures(summary);
    return;
  }
  for (const engine of ENGINES) await printCheck(summary, engine, listsIssues);
  if (listsIssues) await printFixes(summary);
  await printNotes(summary);
  await printFailures(summary);
  line();
}

async function printHead({ db, report, line }: Summary): Promise<void> {
  line(report.starting_url, { style: 'bold' });
  if (report.site_url !== null && report.site_url !== report.starting_url) line(`redirected to ${report.site_url}`);
  // The starting page that could not be fetched doesn't count as found.
  const found = report.status === 'failed' ? '' : `${plural(report.num_pages, 'page')} found, `;
  line(`${found}${endOf(report)}`);
  if (report.status === 'failed') return;
  const failure = fullSentenceOf(report.crawl_error, optionName);
  if (failure !== null) line(failure, { style: 'yellow' });
  const leftOut = leftOutOf(await countOutcomes(db, report), report);
  if (leftOut !== '') line(leftOut, { style: 'dim' });
  if (followsStandard(Object.keys(report.checks))) {
    line(measuredByIn(report) || 'No accessibility standard: choose one with --standard', { style: 'dim' });
  }
  const muted = await countMuted(db, report.id, CHECK_KINDS);
  if (muted > 0) line(`${plural(muted, 'issue')} muted`, { style: 'dim' });
}

function endOf({ status, crawl_error: error, inserted_at: from, finished_at: to }: ReportWithChecks): string {
  if (to === null) return status;
  const isStopped = status === 'finished' && cutShortBy(error?.code) !== null;
  return isStopped ? `stopped early after ${secondsOf(from, to)}` : `${status} in ${secondsOf(from, to)}`;
}

function secondsOf(from: Date, to: Date): string {
  return duration((to.getTime() - from.getTime()) / 1_000);
}

function leftOutOf(
  outcomes: OutcomeCounts,
  { urls_not_kept: notKept, site_access: access }: Pick<ReportWithChecks, 'urls_not_kept' | 'site_access'>,
): string {
  // With credentials, URLs that sign out are excluded, too.
  const wordsOf = (outcome: ShownOutcome, words: string): string =>
    outcome === 'excluded' && access !== null ? 'excluded by settings or to stay signed in' : words;
  const reasons = LEFT_OUT.filter(([outcome]) => outcomes[outcome] > 0);
  const total = reasons.reduce((sum, [outcome]) => sum + outcomes[outcome], 0);
  const parts = reasons.map(([outcome, reason]) => `${formatNumber(outcomes[outcome])} ${wordsOf(outcome, reason)}`);
  const more = notKept > 0 ? `, and ${formatNumber(notKept)} more not listed` : '';
  return total === 0 ? '' : `${plural(total, 'URL')} skipped: ${parts.join(', ')}${more}`;
}

async function printCheck(
  summary: Summary,
  { kind, title, isGraded }: EngineDescription,
  listsKinds: boolean,
): Promise<void> {
  const { db, report, verbose, style, line } = summary;
  const counts = report.checks[kind];
  if (counts === undefined) return;
  line();
  const verdict = foundWords(foundIn(counts, isGraded));
  const isGood = counts.warnings === 0 && counts.checked > 0;
  const color = counts.errors > 0 ? 'red' : isGood ? 'green' : 'yellow';
  const failed = counts.failed > 0 ? `, ${plural(counts.failed, 'page')} could not be checked` : '';
  line(`${style('bold', title)}  ${style(color, verdict)} on ${plural(counts.checked, 'page')}${failed}`);
  const free = isGraded ? severeFree([counts]) : null;
  if (free !== null && counts.errors > 0) line(severeFreeWords(free), { indent: 2, style: 'dim' });
  if (!listsKinds) return;
  if (verbose) {
    for await (const issue of rowsOf((page) => listCommonIssues(db, report.id, kind, {}, page))) {
      await printCommonIssue(summary, issue);
    }
    return;
  }
  const { rows, total } = await listCommonIssues(db, report.id, kind, {}, { number: 1, size: ISSUE_TYPES_SHOWN });
  for (const issue of rows) await printCommonIssue(summary, issue);
  if (total > rows.length) {
    const more = `and ${plural(total - rows.length, 'more issue type')} (--verbose lists all)`;
    line(more, { indent: 2, style: 'dim' });
  }
}

async function printCommonIssue(summary: Summary, issue: CommonIssueRow): Promise<void> {
  const { db, verbose } = summary;
  const occurrences = await (verbose ? firstOccurrencesOf : firstPageOf)(db, issue.id);
  printIssueType(summary, { issue, howMany: issue.how_many, pages: issue.num_web_pages, occurrences });
}

/**
 * Prints what to fix first: the first fixes of the plan, or all of them. Prints nothing for a single page if the list of issues
 * shows the same.
 */
async function printFixes({ db, report, verbose, line }: Summary): Promise<void> {
  const size = verbose ? FIXES_MAX : FIXES_SHOWN;
  const { rows: fixes, total } = await listFixes(db, report.id, CHECK_KINDS, { number: 1, size });
  const saysMore = fixes.some((fix) => fix.style_rule !== null || fix.background_rule !== null);
  if (fixes.length === 0 || (report.num_pages < 2 && !saysMore)) return;
  const all = { pages: report.checked_pages, errors: errorsIn(Object.values(report.checks)) };
  line();
  line('Fix first', { style: 'bold' });
  for (const fix of fixes) {
    const dim = (text: string): void => line(text, { indent: FIX_INDENT, style: 'dim' });
    line(messageLine(fix.message), { indent: FIX_INDENT, head: `  ${fix.position}. ` });
    const place = placeOf(fix);
    if (place !== '') dim(place);
    const sample = await findWebPage(db, report.id, fix.sample_page_id);
    const example = sample === undefined ? '' : `${fix.num_web_pages > 1 ? ', such as' : ':'} ${pageName(sample.url)}`;
    const also = messageLine(alsoFixedWords(fix));
    dim(`${plural(fix.how_many, 'occurrence')} on ${plural(fix.num_web_pages, 'page')}${also}${example}`);
    line(fixEffectWords(fix, all), { indent: FIX_INDENT, style: 'green' });
  }
  const left = total - fixes.length + (await countCausesLeftOut(db, report.id, CHECK_KINDS));
  const rest = total > fixes.length ? ' (--verbose lists the whole plan)' : ', in the lists above';
  if (left > 0) line(`and ${plural(left, 'more cause')} of errors${rest}`, { indent: 2, style: 'dim' });
}

/** Returns what to edit. Only the parts are shortened, so that the place of a style rule is complete. */
function placeOf(fix: ListedFix): string {
  const { cause, selector, markup, how_many: howMany } = fix;
  const shown = (cause === null ? [selector, markup] : [cause]).map((text) => sourceLine(text ?? ''));
  return [...shown, styleRuleWords(fix, sourceLine, howMany)].filter((text) => text !== '').join('  ');
}

async function printNotes({ db, report, verbose, line }: Summary): Promise<void> {
  const { rows, total } = await listNotedPages(db, report.id, verbose ? report.num_pages : NOTED_PAGES_SHOWN);
  if (total === 0) return;
  line();
  line(`Checked with a note: ${plural(total, 'page')}`, { style: 'bold' });
  for (const { url, notes } of rows) {
    line(url, { indent: 2 });
    line(plainLine(noteText(notes) ?? ''), { indent: 6, style: 'dim' });
  }
  if (total > rows.length) line(`and ${plural(total - rows.length, 'more page')}`, { indent: 2, style: 'dim' });
}

async function printFailures({ db, report, verbose, line }: Summary): Promise<void> {
  const filter = { status: 'failed' } as const;
  const size = verbose ? report.num_pages : FAILED_PAGES_SHOWN;
  const { rows, total } = await listWebPages(db, report.id, filter, { number: 1, size });
  if (total === 0) return;
  line();
  line(`Could not be checked: ${plural(total, 'page')}`, { style: 'bold' });
  for (const page of rows) {
    const reasons = new Set(
      Object.values(page.checks).flatMap(({ error }) => (error === null ? [] : sentenceOf(error, optionName))),
    );
    line(pageName(page.url), { indent: 2 });
    for (const reason of reasons) line(plainLine(reason), { indent: 6, style: 'dim' });
    if (page.linked_from !== null) line(`linked from ${page.linked_from}`, { indent: 6, style: 'dim' });
  }
  if (total > rows.length) line(`and ${plural(total - rows.length, 'more page')}`, { indent: 2, style: 'dim' });
}
