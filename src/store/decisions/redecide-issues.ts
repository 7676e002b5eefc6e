import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { newOccurrences, recheckMark } from '../../issues/diff-recheck.ts';
import { FINGERPRINT_BYTES } from '../../issues/identity.ts';
import { partOf } from '../../issues/part-of-issue.ts';
import { nextTurn } from '../../platform/slices.ts';
import { type PackedIssue, unpackOccurrences } from '../issues/packed-issues.ts';
import { packOccurrences } from '../issues/packed-occurrences.ts';
import {
  FOUND_FINGERPRINT,
  type FoundOnPage,
  insertIssues,
  removeEmptyCommonIssues,
  removeIssues,
} from '../issues/write-issues.ts';
import type { Silence } from '../mutings/muting-counts.ts';
import { countPages } from '../pages/page-counts.ts';
import { keepPages, keepResults } from '../reports/keep-results.ts';
import { recountChecksOf } from '../reports/measure.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { CommonIssue, Issue } from '../schema.ts';
import { actingDecisions, decidedParts } from './decided-issues.ts';

/**
 * Applies the decisions about an issue type to its issues on pages of a report again, and updates all counts that change. What
 * the report found at its end stays as it was.
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
  const stored = await storedIssues(change, kind, typeFingerprint, webPageIds);
  const pages: DecidedPage[] = [];
  for (const [webPageId, issues] of Map.groupBy(stored, (issue) => issue.web_page_id)) {
    const found = [...Map.groupBy(issues, ({ position }) => position).values()].map(wholeIssue);
    const parts = found.flatMap(({ whole, position, pageUrl }) => decidedParts(whole, position, pageUrl, decisions));
    const isChanged = issues.map(stateOf).toSorted().join() !== parts.map(stateOfPart).toSorted().join();
    if (isChanged) pages.push({ webPageId, parts, found });
    // A page may have thousands of occurrences.
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
  await removeEmptyCommonIssues(change, kind);
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

/** Keeps what the ids of occurrences lead to, for a day. */
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

/** Forgets them, because new results replace the issues of pages. */
export async function forgetIds(
  { trx }: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
): Promise<void> {
  await sql`DELETE FROM replaced_issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind}`.execute(trx);
}

/** An issue, and what its report knows about its type. */
interface StoredIssue
  extends Pick<
      Issue,
      | 'web_page_id'
      | 'position'
      | 'occurrences'
      | 'fingerprints'
      | 'clusters'
      | 'traces'
      | 'new_occurrences'
      | 'mutings'
      | 'decision_id'
      | 'found_positions'
    >,
    Pick<
      CommonIssue,
      | 'issue_type'
      | 'issue_sub_type'
      | 'message'
      | 'rule_id'
      | 'help_url'
      | 'impact'
      | 'tags'
      | 'outside_standard'
      | 'verdict'
      | 'found_type'
    > {
  readonly page_url: string;
  /** Of its document: the page or a frame. */
  readonly document_url: string;
  /** As the check found it, in hexadecimal. */
  readonly key: string;
  readonly type_fingerprint: string;
}

async function storedIssues(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  typeFingerprint: string,
  webPageIds: readonly number[],
): Promise<StoredIssue[]> {
  const { rows } = await sql<StoredIssue>`
    SELECT i.web_page_id, i.position, i.occurrences, i.fingerprints, i.clusters, i.traces, i.new_occurrences, i.mutings, i.decision_id,
      i.found_positions, k.issue_type, k.issue_sub_type, k.message, k.rule_id, k.help_url, k.impact, k.tags, k.outside_standard,
      k.verdict, k.found_type, p.url AS page_url, coalesce(i.url, p.url) AS document_url, encode(coalesce(k.found_key, k.key), 'hex') AS key,
      encode(${FOUND_FINGERPRINT}, 'hex') AS type_fingerprint
    FROM common_issues k JOIN issues i ON i.common_issue_id = k.id JOIN web_pages p ON p.id = i.web_page_id
    WHERE k.report_id = ${reportId} AND k.kind = ${kind} AND ${FOUND_FINGERPRINT} = decode(${typeFingerprint}, 'hex')
      AND i.web_page_id = ANY(${webPageIds})
    ORDER BY i.web_page_id, i.position, i.id`.execute(trx);
  return rows;
}

/** An issue as the check found it. */
interface WholeIssue {
  readonly position: number;
  readonly pageUrl: string;
  readonly whole: PackedIssue;
  readonly mutings: readonly number[];
  readonly isOutside: boolean;
  /** Whether each occurrence is new since the result before the re-check; null if they were not compared. */
  readonly isNew: readonly boolean[] | null;
}

/** Puts the parts of an issue together. */
function wholeIssue(parts: readonly StoredIssue[]): WholeIssue {
  const [first] = parts;
  if (first === undefined) throw new Error('An issue has at least one part.');
  const howMany = (part: StoredIssue) => part.fingerprints.length / FINGERPRINT_BYTES;
  // Where each occurrence of the parts, one after the other, was found.
  const positions = parts.flatMap(
    (part) => part.found_positions ?? Array.from({ length: howMany(part) }, (_, at) => at),
  );
  const inOrder = Array.from(positions.keys()).toSorted((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
  const isNew = parts.flatMap((part) =>
    Array.from({ length: howMany(part) }, (_, at) => recheckMark(part.new_occurrences, at) === 'new'),
  );
  const all = {
    type: first.found_type ?? first.issue_type,
    subType: first.issue_sub_type,
    message: first.message,
    ruleId: first.rule_id,
    helpUrl: first.help_url,
    impact: first.impact,
    tags: first.tags,
    url: first.document_url,
    howMany: positions.length,
    key: first.key,
    identity: {
      kind: first.type_fingerprint,
      occurrences: Buffer.concat(parts.map(({ fingerprints }) => fingerprints)),
      clusters: Buffer.concat(parts.map(({ clusters }) => clusters)),
      traces: Buffer.concat(parts.map(({ traces }) => traces)),
    },
  };
  return {
    position: first.position,
    pageUrl: first.page_url,
    whole: parts.length === 1 ? { ...all, occurrences: first.occurrences } : ordered(all, parts, inOrder),
    mutings: first.mutings ?? [],
    isOutside: first.outside_standard,
    isNew: parts.some((part) => part.new_occurrences === null) ? null : inOrder.map((at) => isNew[at] ?? false),
  };
}

function ordered(
  all: Omit<PackedIssue, 'occurrences'>,
  parts: readonly StoredIssue[],
  inOrder: readonly number[],
): PackedIssue {
  const occurrences = parts.flatMap((part) => unpackOccurrences(part.occurrences));
  const whole = partOf({ ...all, occurrences }, inOrder);
  return { ...whole, occurrences: packOccurrences(whole.occurrences) };
}

/** A decision and the occurrences to which it applies, as text. */
function stateOf({ decision_id, verdict, found_positions }: StoredIssue): string {
  return JSON.stringify([decision_id, verdict, found_positions]);
}

function stateOfPart({ decision, foundAt }: PackedIssue): string {
  return JSON.stringify([decision?.id ?? null, decision?.verdict ?? null, foundAt?.occurrences ?? null]);
}

/** Mutings match the parts of an issue alike: selectors have split it before. */
function silenceOf(base: WholeIssue | undefined, { decision }: PackedIssue): Silence | null {
  const { mutings = [], isOutside = false } = base ?? {};
  return isOutside || mutings.length > 0 || decision?.verdict === 'not_an_error' ? { mutings, isOutside } : null;
}

function bitsOf({ foundAt }: PackedIssue, isNew: readonly boolean[] | null): Uint8Array | undefined {
  if (isNew === null) return undefined;
  const positions = foundAt?.occurrences ?? [...isNew.keys()];
  return newOccurrences(positions.map(String), new Set(positions.filter((at) => isNew[at] !== true).map(String)));
}
