import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { newOccurrences } from '../../issues/diff-recheck.ts';
import { nextTurn } from '../../platform/slices.ts';
import type { PackedIssue } from '../issues/packed-issues.ts';
import {
  FOUND_FINGERPRINT,
  type FoundOnPage,
  insertIssues,
  removeIssues,
  replaceEmptyCommonIssues,
} from '../issues/write-issues.ts';
import type { Silence } from '../mutings/muting-counts.ts';
import { countPages } from '../pages/page-counts.ts';
import { keepPages, keepResults } from '../reports/keep-results.ts';
import { recountChecksOf } from '../reports/measure.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { actingDecisions, decidedParts } from './decided-issues.ts';
import { type StoredIssue, storedIssues, type WholeIssue, wholeIssue } from './stored-issues.ts';

/**
 * Applies the decisions about an issue type to its issues on pages of a report again, and updates all counts that change. The
 * results at the report's end stay unchanged.
 * @param typeFingerprint in hexadecimal
 * @returns whether any issue has changed
 */
export async function redecideIssues(
  change: ReportTransaction,
  kind: CheckKind,
  typeFingerprint: string,
  webPageIds: readonly number[],
): Promise<boolean> {
  const decisions = (await actingDecisions(change, kind, [typeFingerprint])).get(typeFingerprint);
  const stored = await storedIssues(change.trx, kind, webPageIds, typeFingerprint);
  const pages: DecidedPage[] = [];
  for (const [webPageId, issues] of Map.groupBy(stored, (issue) => issue.web_page_id)) {
    const found = [...Map.groupBy(issues, ({ position }) => position).values()].map(wholeIssue);
    const parts = found.flatMap(({ whole, position, pageUrl }) => decidedParts(whole, position, pageUrl, decisions));
    const isChanged = issues.map(stateOf).toSorted().join() !== parts.map(stateOfPart).toSorted().join();
    if (isChanged) pages.push({ webPageId, parts, found });
    // A page may have thousands of occurrences, so other work gets a turn.
    await nextTurn();
  }
  if (pages.length === 0) return false;

  const ids = pages.map(({ webPageId }) => webPageId);
  change.uncountPages(await countPages(change.trx, ids));
  await keepPages(change, ids);
  await keepResults(change, ids, kind);
  await keepIds(change, ids, kind, typeFingerprint);
  await removeIssues(change, ids, kind, typeFingerprint);
  const silences = new Map<PackedIssue, Silence | null>();
  const changed = pages.flatMap(({ webPageId, parts, found }) =>
    parts.map((issue): FoundOnPage => {
      const position = issue.foundAt?.position ?? 0;
      const base = found.find((each) => each.position === position);
      silences.set(issue, silenceOf(base, issue));
      return { webPageId, issue, position, newOccurrences: bitsOf(issue, base?.isNew ?? null) };
    }),
  );
  await insertIssues(change, kind, changed, (_, issue) => silences.get(issue as PackedIssue) ?? null);
  await replaceEmptyCommonIssues(change, kind);
  await recountChecksOf(change, kind, ids);
  change.countPages(await countPages(change.trx, ids));
  return true;
}

/** A page whose issues change. */
interface DecidedPage {
  readonly webPageId: number;
  readonly parts: readonly PackedIssue[];
  readonly found: readonly WholeIssue[];
}

/** Keeps for a day which occurrences the replaced ids named. */
async function keepIds(
  { trx }: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
  typeFingerprint: string,
): Promise<void> {
  await sql`DELETE FROM replaced_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind}
    AND inserted_at < now() - interval '1 day'`.execute(trx);
  await sql`
    INSERT INTO replaced_issues (issue_id, web_page_id, kind, position, found_positions)
    SELECT i.id, i.web_page_id, i.kind, i.position, i.found_positions FROM issues i JOIN common_issues k ON k.id = i.common_issue_id
    WHERE i.web_page_id = ANY(${webPageIds}) AND i.kind = ${kind} AND ${FOUND_FINGERPRINT} = decode(${typeFingerprint}, 'hex')`.execute(
    trx,
  );
}

/** Forgets the replaced issue ids of pages, because new results replace their issues. */
export async function forgetIds(
  { trx }: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
): Promise<void> {
  await sql`DELETE FROM replaced_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind}`.execute(trx);
}

/** A decision and the occurrences to which it applies, as text. */
function stateOf({ decision_id, verdict, found_positions }: StoredIssue): string {
  return JSON.stringify([decision_id, verdict, found_positions]);
}

function stateOfPart({ decision, foundAt }: PackedIssue): string {
  return JSON.stringify([decision?.id ?? null, decision?.verdict ?? null, foundAt?.occurrences ?? null]);
}

/** Mutings match all parts of an issue alike: issues are split by selectors when they are saved. */
function silenceOf(base: WholeIssue | undefined, { decision }: PackedIssue): Silence | null {
  const { mutings = [], isOutside = false } = base ?? {};
  return isOutside || mutings.length > 0 || decision?.verdict === 'not_an_error' ? { mutings, isOutside } : null;
}

function bitsOf({ foundAt }: PackedIssue, isNew: readonly boolean[] | null): Uint8Array | undefined {
  if (isNew === null) return undefined;
  const positions = foundAt?.occurrences ?? [...isNew.keys()];
  return newOccurrences(positions.map(String), new Set(positions.filter((at) => isNew[at] !== true).map(String)));
}
