import {
  type HtmlOccurrence,
  type ListedOccurrence,
  occurrencesOf,
  type PageIssueItem,
} from 'sitewarden-client/occurrences';
import { IMPACTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { faultsIn } from '../../lib/faults.ts';
import type { Kind } from '../../lib/kinds.ts';
import type { Severity } from '../../parts/severity.tsx';
import type { ShownDecision } from '../../report/decision-line.tsx';

/** One occurrence of an issue, for the list, the source and the screenshot. */
export interface Occurrence extends ListedOccurrence {
  /** From 1. */
  readonly number: number;
  /** Its position in a few words: `line 12, column 7`. */
  readonly where: string;
  /** The occurrence in the format of the HTML validator, which includes a range. */
  readonly validator: HtmlOccurrence | null;
}

/** An issue of the page with its occurrences, in one format for all checks. */
export interface PageIssue {
  /** Its kind and id, such as `html-53`, as in the URL. */
  readonly key: string;
  readonly kind: Kind;
  readonly id: string;
  readonly severity: Severity;
  /** The severity in words: `error`, `warning` or `needs review`. */
  readonly type: 'error' | 'warning' | 'needs review';
  readonly message: string;
  readonly fingerprint: string;
  readonly helpUrl: string | null;
  readonly remedy: string | null;
  /** What exactly is wrong with its elements; null if the message includes it. */
  readonly faults: string | null;
  readonly howMany: number;
  /** What was decided about all its occurrences. Other occurrences of its rule on the page are a separate issue. */
  readonly decision: ShownDecision | null;
  readonly omitted: number;
  readonly occurrences: readonly Occurrence[];
}

/** Converts an issue to the format of the screen. */
export function pageIssueOf(item: PageIssueItem): PageIssue {
  if (item.type === 'a11y_issue') return a11yIssue(item);
  if (item.type === 'link_issue') return linkIssue(item);
  return htmlIssue(item);
}

function htmlIssue(item: Item<'html_issue'>): PageIssue {
  const type = item.issue_type === 'error' ? 'error' : 'warning';
  return {
    ...common(item, 'html'),
    severity: type,
    type,
    message: item.message,
    helpUrl: null,
    faults: null,
    occurrences: occurrencesOf(item).map((occurrence, index) => ({
      ...occurrence,
      number: index + 1,
      where: whereOf(occurrence) ?? 'the whole document',
      validator: item.html[index] ?? null,
      markup: occurrence.extract ?? occurrence.markup,
    })),
  };
}

function a11yIssue(item: Item<'a11y_issue'>): PageIssue {
  const isReview = item.issue_type === 'warning';
  return {
    ...common(item, 'a11y'),
    severity: isReview ? 'review' : item.impact,
    type: isReview ? 'needs review' : 'error',
    message: item.help,
    helpUrl: item.help_url,
    faults: faultsIn(item.failure_summary),
    occurrences: occurrencesOf(item).map((occurrence, index) => ({
      ...occurrence,
      number: index + 1,
      where: whereOf(occurrence) ?? occurrence.note ?? 'not in the source',
      validator: null,
    })),
  };
}

function linkIssue(item: Item<'link_issue'>): PageIssue {
  const type = item.issue_type === 'error' ? 'error' : 'warning';
  return {
    ...common(item, 'link'),
    severity: type,
    type,
    message: item.message,
    helpUrl: null,
    faults: null,
    occurrences: occurrencesOf(item).map((occurrence, index) => {
      const { markup: url, note } = occurrence;
      const markup = note === null ? url : `${url} → ${item.links[index]?.final_url}`;
      return { ...occurrence, number: index + 1, where: url, validator: null, markup };
    }),
  };
}

function common(item: PageIssueItem, kind: Kind) {
  return {
    key: `${kind}-${item.id}`,
    kind,
    id: item.id,
    howMany: item.how_many,
    remedy: item.remedy,
    omitted: item.omitted,
    fingerprint: item.fingerprint,
    decision: item.decision,
  };
}

function whereOf({ line, column }: ListedOccurrence): string | null {
  if (line === null) return null;
  return column === null ? `line ${line}` : `line ${line}, column ${column}`;
}

const ORDER: readonly Severity[] = [...IMPACTS, 'error', 'warning', 'review'];

/** Orders issues by severity. Equal ones keep the order of the check. */
export function bySeverity(issues: readonly PageIssue[]): PageIssue[] {
  return issues.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

/** Returns a description of one occurrence: `error 1 of 2: Duplicate ID “rye”`. */
export function wordsOf(issue: PageIssue, occurrence: Occurrence): string {
  return `${issue.type} ${occurrence.number} of ${issue.howMany}: ${issue.message}`;
}

/** All errors first, then errors by impact, as in all other counts. */
const FILTERS: readonly Severity[] = ['error', ...IMPACTS, 'warning', 'review'];

/** Whether a severity filter matches an issue. `error` matches errors of every impact. */
export function isOf(filter: string, { severity, type }: PageIssue): boolean {
  return filter === severity || filter === type;
}

/** Returns the number of occurrences that each filter matches. */
export function countsBySeverity(issues: readonly PageIssue[]): readonly (readonly [Severity, number])[] {
  return FILTERS.flatMap((filter) => {
    const number = issues.filter((issue) => isOf(filter, issue)).reduce((sum, { howMany }) => sum + howMany, 0);
    return number === 0 ? [] : [[filter, number] as const];
  });
}
