import { IMPACTS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import type { PageIssueItem } from '../../api/queries/web-page.ts';
import { faultsIn } from '../../lib/faults.ts';
import type { Kind } from '../../lib/kinds.ts';
import type { ValidatorOccurrence } from '../../lib/source-occurrences.ts';
import type { Severity } from '../../parts/severity.tsx';

/** One occurrence of an issue, for the list, the source and the screenshot. */
export interface Occurrence {
  /** From 1. */
  readonly number: number;
  /** Its position in a few words: `line 12, column 7`. */
  readonly where: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The occurrence in the format of the HTML validator, which includes a range. */
  readonly validator: ValidatorOccurrence | null;
  /** In CSS pixels of the page. */
  readonly box: readonly number[] | null;
  readonly madeByScript: boolean;
  /** The element, the code around the occurrence, or the URL of the link. */
  readonly markup: string;
  readonly selector: string | null;
  readonly change: 'new' | 'persisting' | 'regressed' | 'found_again' | null;
  /** The result of the last re-check of the page; null without one. */
  readonly recheck: 'still' | 'new' | null;
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
    occurrences: item.html.map((occurrence, index) => {
      const { first_line: line, first_column: column, last_line: lastLine } = occurrence.coordinates;
      const isWhole = lastLine < 1;
      return {
        ...NOWHERE,
        number: index + 1,
        where: isWhole ? 'the whole document' : whereIs(line, column),
        line: isWhole ? null : line,
        column,
        validator: occurrence,
        markup: occurrence.extract,
        change: occurrence.change,
        recheck: occurrence.recheck,
      };
    }),
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
    occurrences: item.occurrences.map((occurrence, index) => {
      const { line, column } = occurrence;
      return {
        ...NOWHERE,
        number: index + 1,
        where:
          line === null
            ? occurrence.made_by_script
              ? 'created by a script'
              : 'not in the source'
            : whereIs(line, column),
        line,
        column,
        box: occurrence.box,
        madeByScript: occurrence.made_by_script,
        markup: item.html[index] ?? '',
        selector: selectorOf(item.targets[index]),
        change: occurrence.change,
        recheck: occurrence.recheck,
      };
    }),
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
    occurrences: item.links.map((link, index) => ({
      ...NOWHERE,
      number: index + 1,
      where: link.url,
      markup: link.final_url === link.url ? link.url : `${link.url} → ${link.final_url}`,
      change: link.change,
      recheck: link.recheck,
    })),
  };
}

const NOWHERE = {
  line: null,
  column: null,
  validator: null,
  box: null,
  madeByScript: false,
  selector: null,
} as const;

function common(item: PageIssueItem, kind: Kind) {
  return {
    key: `${kind}-${item.id}`,
    kind,
    id: item.id,
    howMany: item.how_many,
    remedy: item.remedy,
    omitted: item.omitted,
    fingerprint: item.fingerprint,
  };
}

function whereIs(line: number, column: number | null): string {
  return column === null ? `line ${line}` : `line ${line}, column ${column}`;
}

/** Selectors of frames precede the selector of the element. Selectors in shadow roots are arrays. */
function selectorOf(target: Item<'a11y_issue'>['targets'][number] | undefined): string | null {
  return target === undefined
    ? null
    : target.map((part) => (typeof part === 'string' ? part : part.join(' >> '))).join(' >> ');
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
