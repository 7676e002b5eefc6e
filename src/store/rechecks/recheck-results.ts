import type { CheckKind } from '../../domain/check.ts';
import { type CheckedPage, isCrowded, occurrenceKeysIn } from '../../issues/diff-pages.ts';
import { diffRecheck, newOccurrences, type RecheckDiff } from '../../issues/diff-recheck.ts';
import { followEdits } from '../../issues/follow-edits.ts';
import { FINGERPRINT_BYTES, TRACE_BYTES } from '../../issues/identity.ts';
import { bytesAt } from '../../issues/part-of-issue.ts';
import { nextTurn } from '../../platform/slices.ts';
import type { PackedIssue } from '../issues/packed-issues.ts';
import type { SilencedBy } from '../mutings/muting-counts.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import {
  FIXED_ISSUES_MAX,
  type FixedIssue,
  type IssueBefore,
  type IssueWithOccurrencesBefore,
  occurrencesBefore,
} from './former-issues.ts';

/** The new result of a check that has an earlier result. */
export interface NewResult {
  readonly webPageId: number;
  readonly issues: readonly PackedIssue[];
  readonly engineVersion: string | null;
  readonly resources: string | null;
  /** Of the documents, in hexadecimal. */
  readonly document: string;
  readonly beforeDocument: string;
  readonly beforeEngine: string | null;
  readonly beforeResources: string | null;
}

/** The result of a re-check of one page. */
export interface RecheckFound extends RecheckDiff {
  readonly fixed: readonly FixedIssue[];
  /** The new occurrences of each unmuted issue of the result, as `newOccurrences` packs them. */
  readonly newOccurrences: ReadonlyMap<PackedIssue, Uint8Array>;
}

/**
 * Compares new results of one kind of check with the earlier results, which have not been replaced yet. Issues that are now muted
 * count in neither result, even if the mutings have not been applied to the earlier results.
 * @param before the issues of the earlier results
 * @returns by page, without pages that cannot be compared because they have too many occurrences
 */
export async function compareWithBefore(
  change: ReportTransaction,
  kind: CheckKind,
  results: readonly NewResult[],
  before: readonly IssueBefore[],
  silencedBy: SilencedBy,
): Promise<Map<number, RecheckFound>> {
  const isShown = (issue: IssueBefore): boolean =>
    silencedBy(issue.web_page_id, { message: issue.message, ruleId: issue.rule_id, tags: issue.tags }) === null;
  const shownBefore = Map.groupBy(before.filter(isShown), ({ web_page_id: id }) => id);
  const comparable = results.filter(({ webPageId }) => isComparable(shownBefore.get(webPageId) ?? []));
  const placed = await occurrencesBefore(
    change,
    comparable.flatMap(({ webPageId }) => shownBefore.get(webPageId) ?? []),
  );
  const issuesOf = Map.groupBy(placed, ({ web_page_id: id }) => id);
  const found = new Map<number, RecheckFound>();
  for (const result of comparable) {
    const isSilenced = (issue: PackedIssue): boolean => silencedBy(result.webPageId, issue) !== null;
    const [silenced, shown] = [result.issues.filter(isSilenced), result.issues.filter((issue) => !isSilenced(issue))];
    // Some selectors of mutings match only now, and the occurrences that they hide are not fixed.
    const hidden = new Set(silenced.flatMap(({ identity }) => occurrenceKeysIn(identity.occurrences)));
    const recheck = compareShown(kind, result, shown, withoutOccurrences(issuesOf.get(result.webPageId) ?? [], hidden));
    if (recheck !== null) found.set(result.webPageId, recheck);
    // Pages may have thousands of occurrences each, so other work gets a turn.
    await nextTurn();
  }
  return found;
}

/** Returns earlier issues without some occurrences. */
function withoutOccurrences<Issue extends Pick<IssueWithOccurrencesBefore, 'occurrences' | 'traces'>>(
  issues: readonly Issue[],
  hidden: ReadonlySet<string>,
): readonly Issue[] {
  if (hidden.size === 0) return issues;
  return issues.map((issue) => {
    const kept = [...occurrenceKeysIn(issue.occurrences).entries()].flatMap(([at, key]) => (hidden.has(key) ? [] : at));
    return {
      ...issue,
      occurrences: bytesAt(issue.occurrences, kept, FINGERPRINT_BYTES),
      traces: bytesAt(issue.traces, kept, TRACE_BYTES),
    };
  });
}

/** Whether an earlier result has few enough occurrences to be compared. */
function isComparable(issues: readonly IssueBefore[]): boolean {
  const howMany = issues.reduce((sum, issue) => sum + issue.howMany, 0);
  return !isCrowded({ howMany }, undefined);
}

/** Compares the issues of a page that are not muted. @returns null if the new issues cannot be compared */
function compareShown(
  kind: CheckKind,
  { document, engineVersion, resources, ...result }: NewResult,
  shown: readonly PackedIssue[],
  before: readonly IssueWithOccurrencesBefore[],
): RecheckFound | null {
  const { beforeDocument, beforeEngine, beforeResources } = result;
  const now = checkedPage({ document, engineVersion, resources }, shown.map(identified));
  const then = { document: beforeDocument, engineVersion: beforeEngine, resources: beforeResources };
  const earlier = checkedPage(then, before);
  if (now === null || earlier === null) return null;
  const followed = followEdits(now, earlier);
  const diff = diffRecheck(kind, now, followed);
  return {
    ...diff,
    fixed: fixedIssues(before, diff),
    newOccurrences: new Map(shown.map((issue) => [issue, newOccurrencesOf(issue, followed.occurrences)])),
  };
}

interface Identified {
  readonly fingerprint: string;
  readonly occurrences: Uint8Array;
  readonly traces: Uint8Array;
}

function identified({ identity }: PackedIssue): Identified {
  return { fingerprint: identity.kind, occurrences: identity.occurrences, traces: identity.traces };
}

type Conditions = Pick<CheckedPage, 'document' | 'engineVersion' | 'resources'>;

function checkedPage(conditions: Conditions, found: readonly Identified[]): CheckedPage | null {
  const issues: CheckedPage['issues'][number][] = [];
  let howMany = 0;
  for (const { fingerprint, occurrences, traces } of found) {
    howMany += occurrences.length / FINGERPRINT_BYTES;
    if (isCrowded({ howMany }, undefined)) return null;
    issues.push({ fingerprint, occurrences: occurrenceKeysIn(occurrences), traces });
  }
  return { ...conditions, issues, occurrences: new Set(issues.flatMap(({ occurrences }) => occurrences)) };
}

function newOccurrencesOf({ identity }: PackedIssue, before: ReadonlySet<string>): Uint8Array {
  return newOccurrences(occurrenceKeysIn(identity.occurrences), before);
}

/** Returns the issue types with fixed occurrences, in document order. */
function fixedIssues(before: readonly IssueBefore[], { byKind }: RecheckDiff): FixedIssue[] {
  const kinds = Map.groupBy(before, ({ fingerprint }) => fingerprint);
  return [...kinds.values()]
    .flatMap(([first]) => first ?? [])
    .map(({ web_page_id, position, fingerprint, issue_type, message, rule_id, impact }) => ({
      ...{ web_page_id, position, fingerprint, issue_type, message, rule_id, impact },
      how_many: byKind.get(fingerprint)?.fixed ?? 0,
    }))
    .filter((issue) => issue.how_many > 0)
    .slice(0, FIXED_ISSUES_MAX);
}
