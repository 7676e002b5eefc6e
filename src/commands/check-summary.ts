import { styleText } from 'node:util';
import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES, engineOf } from '../checks/registry.ts';
import { noteText } from '../domain/check-note.ts';
import { fullSentenceOf, sentenceOf } from '../domain/failures/failure.ts';
import { shortened } from '../platform/shorten.ts';
import { type CommonIssueRow, countMuted, listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { countOutcomes, type OutcomeCounts, type ShownOutcome } from '../store/discovered-urls.ts';
import { findExample, type PageIssue } from '../store/issues.ts';
import { rowsOf } from '../store/listing.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { listNotedPages, listWebPages } from '../store/web-pages.ts';
import { optionName } from './attribute-options.ts';
import { columnsOf, duration, plainLine, plural, widthOf, wrap } from './text-layout.ts';

/** Kinds of issues shown for each kind of check without `--verbose`. */
const KINDS_SHOWN = 10;
const FAILED_PAGES_SHOWN = 10;
const NOTED_PAGES_SHOWN = 5;
/** Longer messages are shortened in the middle. */
const MESSAGE_CHARACTERS_MAX = 400;
/** Longer source is shortened in the middle. */
const SOURCE_CHARACTERS_MAX = 200;
/** Columns before the message of an issue, which hold its count. */
const INDENT = 11;

/** Why discovered URLs are not pages of the report, except for outcomes that are reported elsewhere. */
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

export interface SummaryOptions {
  readonly output: NodeJS.WriteStream;
  /** Every kind of issue and every page that could not be checked, with details. */
  readonly verbose: boolean;
}

type Style = Parameters<typeof styleText>[0];

interface Summary {
  readonly db: Database;
  readonly report: ReportWithChecks;
  readonly verbose: boolean;
  readonly style: (format: Style, text: string) => string;
  readonly line: (text?: string, options?: LineOptions) => void;
}

/** How a line is written. Lines that are too long are broken between words. */
interface LineOptions {
  /** Columns before each part. `head` replaces them in the first. */
  readonly indent?: number;
  readonly head?: string;
  readonly style?: Style;
}

/**
 * Prints how much was checked, the worst kinds of issues, and where they are. Does not print why a report failed: the
 * command ends with that.
 */
export async function printSummary(
  db: Database,
  report: ReportWithChecks,
  { output, verbose }: SummaryOptions,
): Promise<void> {
  const columns = columnsOf(output);
  const style = (format: Style, text: string): string => styleText(format, text, { stream: output });
  const line: Summary['line'] = (text = '', { indent = 0, head = ' '.repeat(indent), style: format } = {}) => {
    for (const [index, part] of wrap(text, columns - indent, columns - widthOf(head)).entries()) {
      const before = index === 0 ? head : ' '.repeat(indent);
      output.write(`${before}${format === undefined ? part : style(format, part)}\n`);
    }
  };
  const summary: Summary = { db, report, verbose, style, line };
  line();
  await printHead(summary);
  if (report.status === 'failed') {
    // A single page failed for the same reason as the report.
    if (report.num_pages > 1) await printFailures(summary);
    return;
  }
  for (const engine of ENGINES) await printCheck(summary, engine);
  await printNotes(summary);
  await printFailures(summary);
  line();
}

async function printHead({ db, report, line }: Summary): Promise<void> {
  line(report.starting_url, { style: 'bold' });
  if (report.site_url !== null && report.site_url !== report.starting_url) line(`redirected to ${report.site_url}`);
  const time = report.finished_at === null ? '' : ` in ${secondsOf(report.inserted_at, report.finished_at)}`;
  line(`${plural(report.num_pages, 'page')} found, ${report.status}${time}`);
  if (report.status === 'failed') return;
  const failure = fullSentenceOf(report.crawl_error, optionName);
  if (failure !== null) line(failure, { style: 'yellow' });
  const leftOut = leftOutOf(await countOutcomes(db, report), report.urls_not_kept);
  if (leftOut !== '') line(leftOut, { style: 'dim' });
  const muted = await countMuted(db, report.id);
  if (muted > 0) line(`${plural(muted, 'issue')} muted`, { style: 'dim' });
}

function secondsOf(from: Date, to: Date): string {
  return duration((to.getTime() - from.getTime()) / 1_000);
}

function leftOutOf(outcomes: OutcomeCounts, notKept: number): string {
  const reasons = LEFT_OUT.filter(([outcome]) => outcomes[outcome] > 0);
  const total = reasons.reduce((sum, [outcome]) => sum + outcomes[outcome], 0);
  const parts = reasons.map(([outcome, reason]) => `${outcomes[outcome]} ${reason}`);
  const more = notKept > 0 ? `, and ${notKept} more that are not listed` : '';
  return total === 0 ? '' : `${plural(total, 'URL')} left out: ${parts.join(', ')}${more}`;
}

async function printCheck(summary: Summary, { kind, title }: EngineDescription): Promise<void> {
  const { db, report, verbose, style, line } = summary;
  const counts = report.checks[kind];
  if (counts === undefined) return;
  line();
  const verdict = `${plural(counts.errors, 'error')}, ${plural(counts.warnings, 'warning')}`;
  const isGood = counts.warnings === 0 && counts.checked > 0;
  const color = counts.errors > 0 ? 'red' : isGood ? 'green' : 'yellow';
  const failed = counts.failed > 0 ? `, ${plural(counts.failed, 'page')} could not be checked` : '';
  line(`${style('bold', title)}  ${style(color, verdict)} on ${plural(counts.checked, 'page')}${failed}`);
  if (verbose) {
    for await (const issue of rowsOf((page) => listCommonIssues(db, report.id, kind, {}, page))) {
      await printIssue(summary, issue);
    }
    return;
  }
  const { rows, total } = await listCommonIssues(db, report.id, kind, {}, { number: 1, size: KINDS_SHOWN });
  for (const issue of rows) await printIssue(summary, issue);
  if (total > rows.length) {
    const more = `and ${plural(total - rows.length, 'more kind')} (--verbose lists all)`;
    line(more, { indent: 2, style: 'dim' });
  }
}

async function printIssue({ db, verbose, style, line }: Summary, issue: CommonIssueRow): Promise<void> {
  const label = issue.impact === null ? issue.issue_type : `${issue.impact} ${issue.issue_type}`;
  const color = issue.issue_type === 'error' ? 'red' : 'yellow';
  const head = `  ${String(issue.how_many).padStart(6)} × ${style(color, label)}  `;
  line(shortened(plainLine(issue.message), MESSAGE_CHARACTERS_MAX), { indent: INDENT, head });
  const example = await findExample(db, issue.id);
  if (example === undefined) return;
  const rest = issue.num_web_pages - 1;
  line(`${example.page_url}${rest > 0 ? ` and ${plural(rest, 'more page')}` : ''}`, { indent: INDENT, style: 'dim' });
  if (!verbose) return;
  for (const detail of detailsOf(engineOf(example.kind), example)) line(detail, { indent: INDENT, style: 'dim' });
}

/** Returns the first place of an issue with its source, its rule and its help link, one line each. */
function detailsOf({ issues }: EngineDescription, issue: PageIssue): string[] {
  const place = issues.firstPlace(issue);
  const source = place === null ? '' : shortened(plainLine(place.source), SOURCE_CHARACTERS_MAX);
  return [
    ...(place === null ? [] : [plainLine(`${place.where}: ${source}`)]),
    ...(issue.rule_id === null ? [] : [`rule ${issue.rule_id}`]),
    ...(issue.help_url === null ? [] : [issue.help_url]),
  ];
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
    line(page.url, { indent: 2 });
    for (const reason of reasons) line(plainLine(reason), { indent: 6, style: 'dim' });
    if (page.linked_from !== null) line(`linked from ${page.linked_from}`, { indent: 6, style: 'dim' });
  }
  if (total > rows.length) line(`and ${plural(total - rows.length, 'more page')}`, { indent: 2, style: 'dim' });
}
