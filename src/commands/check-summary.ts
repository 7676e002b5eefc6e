import { styleText } from 'node:util';
import { noteText } from '../api/check-notes.ts';
import { CHECK_KINDS, type CheckKind } from '../domain/check.ts';
import { type CommonIssueRow, listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { countOutcomes, type OutcomeCounts, type ShownOutcome } from '../store/discovered-urls.ts';
import { listNotedPages } from '../store/noted-pages.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { listWebPages } from '../store/web-pages.ts';
import { inOptions } from './option-names.ts';
import { plural } from './plural.ts';

/** Kinds of issues shown of each check; the files and the API have them all. */
const KINDS_SHOWN = 10;
const FAILED_PAGES_SHOWN = 10;
const NOTED_PAGES_SHOWN = 5;
const MESSAGE_CHARACTERS_MAX = 110;

export const CHECK_TITLES: Readonly<Record<CheckKind, string>> = { html: 'HTML', a11y: 'Accessibility' };

/** Why URLs that were found are no pages of the report, as far as nothing else stands for them. */
const LEFT_OUT: readonly (readonly [ShownOutcome, reason: string])[] = [
  ['over_max_pages', 'over --max-pages'],
  ['not_visited', 'not visited'],
  ['too_deep', 'too deep'],
  ['not_listed', 'not in the sitemap'],
  ['excluded', 'excluded'],
  ['robots', 'disallowed by robots.txt'],
  ['not_html', 'not HTML'],
  ['duplicate', 'duplicates'],
  ['off_site', 'on other sites'],
];

type Style = Parameters<typeof styleText>[0];
type Output = NodeJS.WriteStream;

/**
 * What a person wants to know first: how much was checked, the worst kinds of issues, and where to find them. Why a report
 * failed is not told here: the command ends with it.
 */
export async function printSummary(db: Database, report: ReportWithChecks, output: Output): Promise<void> {
  const style = (format: Style, text: string): string => styleText(format, text, { stream: output });
  const line = (text = ''): unknown => output.write(`${text}\n`);
  line();
  line(style('bold', report.starting_url));
  line(`${plural(report.num_pages, 'page')} found, ${report.status}`);
  if (report.status === 'failed') {
    // The reason why the one page failed is that of the report.
    if (report.num_pages > 1) await printFailures(db, report, style, line);
    return;
  }
  if (report.crawl_error !== null) line(style('yellow', inOptions(report.crawl_error)));
  const leftOut = leftOutOf(await countOutcomes(db, report), report.urls_not_kept);
  if (leftOut !== '') line(style('dim', leftOut));
  for (const kind of CHECK_KINDS) await printCheck(db, report, kind, style, line);
  await printNotes(db, report, style, line);
  await printFailures(db, report, style, line);
  line();
}

function leftOutOf(outcomes: OutcomeCounts, notKept: number): string {
  const reasons = LEFT_OUT.filter(([outcome]) => outcomes[outcome] > 0);
  const total = reasons.reduce((sum, [outcome]) => sum + outcomes[outcome], 0);
  const parts = reasons.map(([outcome, reason]) => `${outcomes[outcome]} ${reason}`);
  const more = notKept > 0 ? `; ${plural(notKept, 'find')} more had no room` : '';
  return total === 0 ? '' : `${plural(total, 'URL')} left out: ${parts.join(', ')}${more}`;
}

type Line = (text?: string) => unknown;
type Styler = (format: Style, text: string) => string;

async function printCheck(
  db: Database,
  report: ReportWithChecks,
  kind: CheckKind,
  style: Styler,
  line: Line,
): Promise<void> {
  const counts = report.checks[kind];
  if (counts === undefined) return;
  line();
  const verdict = `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}`;
  const color = counts.errors > 0 ? 'red' : counts.warnings > 0 ? 'yellow' : 'green';
  const failed = counts.failed > 0 ? `, ${plural(counts.failed, 'page')} could not be checked` : '';
  line(`${style('bold', CHECK_TITLES[kind])}  ${style(color, verdict)} on ${plural(counts.checked, 'page')}${failed}`);
  const { rows, total } = await listCommonIssues(db, report.id, kind, {}, { number: 1, size: KINDS_SHOWN });
  for (const issue of rows) await printIssue(db, report, issue, style, line);
  if (total > rows.length)
    line(style('dim', `  … and ${plural(total - rows.length, 'more kind')}: --format json --output DIR has them all`));
}

async function printIssue(
  db: Database,
  report: ReportWithChecks,
  issue: CommonIssueRow,
  style: Styler,
  line: Line,
): Promise<void> {
  const label = issue.impact === null ? issue.issue_type : `${issue.impact} ${issue.issue_type}`;
  const color = issue.issue_type === 'error' ? 'red' : 'yellow';
  line(`  ${String(issue.how_many).padStart(6)} × ${style(color, label)}  ${shorten(oneLine(issue.message))}`);
  const commonIssues = [{ kind: issue.kind, id: issue.id }];
  const { rows } = await listWebPages(db, report.id, { commonIssues }, { number: 1, size: 1 });
  const rest = issue.num_web_pages - 1;
  const where = rows[0]?.url ?? '';
  line(style('dim', `           ${where}${rest > 0 ? ` and ${plural(rest, 'page')} more` : ''}`));
}

async function printNotes(db: Database, report: ReportWithChecks, style: Styler, line: Line): Promise<void> {
  const { rows, total } = await listNotedPages(db, report.id, NOTED_PAGES_SHOWN);
  if (total === 0) return;
  line();
  line(style('bold', `Checked with a note: ${plural(total, 'page')}`));
  for (const { url, notes } of rows) {
    line(`  ${url}`);
    line(style('dim', `      ${oneLine(noteText(notes) ?? '')}`));
  }
  if (total > rows.length) line(style('dim', `  … and ${total - rows.length} more`));
}

async function printFailures(db: Database, report: ReportWithChecks, style: Styler, line: Line): Promise<void> {
  const { rows, total } = await listWebPages(
    db,
    report.id,
    { status: 'failed' },
    { number: 1, size: FAILED_PAGES_SHOWN },
  );
  if (total === 0) return;
  line();
  line(style('bold', `Could not be checked: ${plural(total, 'page')}`));
  for (const page of rows) {
    const reasons = new Set(Object.values(page.checks).flatMap(({ error }) => error ?? []));
    line(`  ${page.url}`);
    for (const reason of reasons) line(style('dim', `      ${oneLine(inOptions(reason))}`));
    if (page.linked_from !== null) line(style('dim', `      linked from ${page.linked_from}`));
  }
  if (total > rows.length) line(style('dim', `  … and ${total - rows.length} more`));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shorten(text: string): string {
  return text.length > MESSAGE_CHARACTERS_MAX ? `${text.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…` : text;
}
