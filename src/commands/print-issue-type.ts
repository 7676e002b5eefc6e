import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import { engineOf } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { severityWords } from '../domain/counts.ts';
import { shortened } from '../platform/shorten.ts';
import type { Database } from '../store/database.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import { findIssueWithPage, firstIssuesOf } from '../store/issues/issues.ts';
import type { Summary } from './summary-output.ts';
import { plainLine } from './text-layout.ts';

/** Maximum number of issue types in a list without `--verbose`. */
export const ISSUE_TYPES_SHOWN = 10;
/** Maximum number of occurrences per issue type. */
export const OCCURRENCES_SHOWN = 5;
/** Longer messages are shortened in the middle. */
const MESSAGE_CHARACTERS_MAX = 400;
/** Longer source is shortened in the middle. */
const SOURCE_CHARACTERS_MAX = 200;
/** Columns before the message of an issue, which hold its count. */
const INDENT = 11;

/** The occurrences of an issue type on one page. */
export interface OccurrencesOnPage {
  readonly url: string;
  readonly occurrences: readonly ShownOccurrence[];
  /**
   * If the occurrences are not listed: how to reach the state of the page that has the first occurrence. Default: empty, no
   * state.
   */
  readonly way?: string;
}

/** An issue type, with the counts and occurrences to print: all of them, or those with a change. */
export interface PrintedIssueType {
  readonly issue: Pick<CommonIssueRow, 'issue_type' | 'impact' | 'message' | 'rule_id' | 'help_url'> &
    Partial<Pick<CommonIssueRow, 'verdict'>>;
  readonly howMany: number;
  readonly pages: number;
  /** The first occurrences by page; a page without occurrences to show only its URL. */
  readonly occurrences: readonly OccurrencesOnPage[];
}

/** Prints the count of an issue type, its message, and its occurrences; with `--verbose`, also its rule and help link. */
export function printIssueType(
  { verbose, style, line }: Summary,
  { issue, howMany, pages, occurrences }: PrintedIssueType,
): void {
  const label = severityWords(issue.issue_type, issue.impact, issue.verdict);
  const color = issue.issue_type === 'error' ? 'red' : 'yellow';
  const head = `  ${formatNumber(howMany).padStart(6)} × ${style(color, label)}  `;
  const dim = (text: string, indent = INDENT): void => line(text, { indent, style: 'dim' });
  line(messageLine(issue.message), { indent: INDENT, head });
  const shown = occurrences.reduce((sum, onPage) => sum + onPage.occurrences.length, 0);
  for (const { url, occurrences: onPage, way = '' } of occurrences) {
    const more = pages - occurrences.length;
    dim(shown === 0 && more > 0 ? `${url} and ${plural(more, 'more page')}` : url);
    const lines = [sourceLine(way), ...onPage.map((occurrence) => occurrenceLine(occurrence, issue.message))];
    for (const text of lines.filter((each) => each !== '')) dim(text, INDENT + 2);
  }
  if (shown > 0 && howMany > shown) {
    dim(
      `and ${plural(howMany - shown, 'more occurrence')}${pages > occurrences.length ? `, on ${formatNumber(pages)} pages in total` : ''}`,
    );
  }
  if (!verbose) return;
  if (issue.rule_id !== null) dim(`rule ${issue.rule_id}`);
  if (issue.help_url !== null) dim(issue.help_url);
}

/** Returns the message of an issue as one line of limited length. */
export function messageLine(message: string): string {
  return shortened(plainLine(message), MESSAGE_CHARACTERS_MAX);
}

/** Returns source as one line of limited length. */
export function sourceLine(source: string): string {
  return shortened(plainLine(source), SOURCE_CHARACTERS_MAX);
}

/** `12:5  <img src="a.png">`, or a selector in place of line and column. Does not repeat the message. */
function occurrenceLine(occurrence: ShownOccurrence, message: string): string {
  const { line, column, selector, note, markup, extract, reachedBy } = occurrence;
  const source = extract ?? (message.includes(markup) ? null : markup);
  const where = line === null ? [note, selector] : [[line, column].filter((number) => number !== null).join(':')];
  const parts = [...where, source, reachedBy].filter((part) => part !== null && part !== '');
  return parts.map((part) => sourceLine(part ?? '')).join('  ');
}

/** Returns the first page of an issue type, for a list without occurrences. */
export async function firstPageOf(db: Database, commonIssueId: number): Promise<OccurrencesOnPage[]> {
  const [id] = await firstIssuesOf(db, commonIssueId, 1);
  const found = id === undefined ? undefined : await findIssueWithPage(db, id);
  if (found === undefined) return [];
  // Occurrences in states come last, so the page itself has none if the first one is in a state.
  const [first] = engineOf(found.kind).issues.shownOccurrences(found);
  return [{ url: found.page_url, occurrences: [], way: first?.reachedBy ?? '' }];
}

/** Returns the first occurrences of an issue type, in the order of the pages. */
export async function firstOccurrencesOf(db: Database, commonIssueId: number): Promise<OccurrencesOnPage[]> {
  const pages: OccurrencesOnPage[] = [];
  let left = OCCURRENCES_SHOWN;
  for (const id of await firstIssuesOf(db, commonIssueId, OCCURRENCES_SHOWN)) {
    if (left === 0) break;
    const found = await findIssueWithPage(db, id);
    if (found === undefined) continue;
    const occurrences = engineOf(found.kind).issues.shownOccurrences(found).slice(0, left);
    left -= occurrences.length;
    pages.push({ url: found.page_url, occurrences });
  }
  return pages;
}
