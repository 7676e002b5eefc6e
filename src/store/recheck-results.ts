import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CheckedPage, isCrowded, placeKeysIn } from '../answers/compare-pages.ts';
import { compareRecheck, newPlaces, type RecheckComparison } from '../answers/compare-recheck.ts';
import { followEdits } from '../answers/follow-edits.ts';
import { FINGERPRINT_BYTES } from '../answers/identity.ts';
import type { CheckKind } from '../domain/check.ts';
import type { ReportChange } from './change-report.ts';
import { FIXED_ISSUES_MAX, type FixedIssue, type IssueBefore, issuesBefore } from './former-issues.ts';
import type { PackedIssue } from './occurrences.ts';

/** The new result of a check that had one before. */
export interface NewResult {
  readonly webPageId: number;
  readonly issues: readonly PackedIssue[];
  /** Whether an issue of it is muted. */
  readonly isMuted: (issue: PackedIssue) => boolean;
  readonly engineVersion: string | null;
  /** Of the documents, in hexadecimal. */
  readonly document: string;
  readonly beforeDocument: string;
  readonly beforeEngine: string | null;
}

/** What a re-check of one page found. */
export interface RecheckFound extends RecheckComparison {
  readonly fixed: readonly FixedIssue[];
  /** As `newPlaces` packs it, for each issue of the result that is not muted. */
  readonly newPlaces: ReadonlyMap<PackedIssue, Uint8Array>;
}

/**
 * Compares new results of one kind of check with those before, which have not been replaced yet. Muted issues count in neither.
 * @returns by page, without those that cannot be compared: results of versions before, and with too many places
 */
export async function compareWithBefore(
  change: ReportChange,
  kind: CheckKind,
  results: readonly NewResult[],
): Promise<Map<number, RecheckFound>> {
  const found = new Map<number, RecheckFound>();
  if (results.length === 0) return found;
  const ids = results.map(({ webPageId }) => webPageId);
  const before = Map.groupBy(await issuesBefore(change, kind, ids), ({ web_page_id: id }) => id);
  for (const result of results) {
    const muted = new Set(result.issues.filter(result.isMuted).map(({ identity }) => identity?.kind));
    const shown = result.issues.filter((issue) => !result.isMuted(issue));
    // After a failure, what was there before does not know of new mutings.
    const issues = (before.get(result.webPageId) ?? []).filter(({ fingerprint }) => !muted.has(fingerprint ?? ''));
    const now = checkedPage(result.document, result.engineVersion, shown.map(identified));
    const earlier = checkedPage(result.beforeDocument, result.beforeEngine, issues);
    if (now === null || earlier === null) continue;
    const then = followEdits(now, earlier);
    const comparison = compareRecheck(kind, now, then);
    found.set(result.webPageId, {
      ...comparison,
      fixed: fixedIssues(issues, comparison),
      newPlaces: new Map(shown.map((issue) => [issue, newPlacesOf(issue, then.places)])),
    });
    // Pages may have thousands of places each.
    await nextTurn();
  }
  return found;
}

interface Identified {
  readonly fingerprint: string | null;
  readonly places: Uint8Array | null;
  readonly traces: Uint8Array | null;
}

function identified({ identity }: PackedIssue): Identified {
  return { fingerprint: identity?.kind ?? null, places: identity?.places ?? null, traces: identity?.traces ?? null };
}

function checkedPage(document: string, engineVersion: string | null, found: readonly Identified[]): CheckedPage | null {
  const issues: CheckedPage['issues'][number][] = [];
  let howMany = 0;
  for (const { fingerprint, places, traces } of found) {
    if (fingerprint === null || places === null) return null;
    howMany += places.length / FINGERPRINT_BYTES;
    if (isCrowded({ howMany }, undefined)) return null;
    issues.push({ fingerprint, places: placeKeysIn(places), traces });
  }
  return { document, engineVersion, issues, places: new Set(issues.flatMap(({ places }) => places)) };
}

function newPlacesOf({ identity }: PackedIssue, before: ReadonlySet<string>): Uint8Array {
  return newPlaces(identity === undefined ? [] : placeKeysIn(identity.places), before);
}

/** Returns the kinds of issue with fixed places, in document order. */
function fixedIssues(before: readonly IssueBefore[], { byKind }: RecheckComparison): FixedIssue[] {
  const kinds = Map.groupBy(before, ({ fingerprint }) => fingerprint);
  return [...kinds.values()]
    .flatMap(([first]) => first ?? [])
    .map(({ places: _, traces: __, ...issue }) => ({
      ...issue,
      how_many: byKind.get(issue.fingerprint ?? '')?.fixed ?? 0,
    }))
    .filter((issue) => issue.how_many > 0)
    .slice(0, FIXED_ISSUES_MAX);
}
