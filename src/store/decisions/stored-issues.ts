import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { recheckMark } from '../../issues/diff-recheck.ts';
import { FINGERPRINT_BYTES } from '../../issues/identity.ts';
import { partOf } from '../../issues/part-of-issue.ts';
import type { Executor } from '../database.ts';
import { type PackedIssue, unpackOccurrences } from '../issues/packed-issues.ts';
import { packOccurrences } from '../issues/packed-occurrences.ts';
import { FOUND_FINGERPRINT } from '../issues/write-issues.ts';
import type { CommonIssue, Issue } from '../schema.ts';

/** An issue, with the data that its report has about its type. */
export interface StoredIssue
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

/**
 * Returns the issues of pages, in the order in which the check found them.
 * @param typeFingerprint of the issue type as the check found it, in hexadecimal; all by default
 */
export async function storedIssues(
  db: Executor,
  kind: CheckKind,
  webPageIds: readonly number[],
  typeFingerprint?: string,
): Promise<StoredIssue[]> {
  const isOfType =
    typeFingerprint === undefined ? sql`true` : sql`${FOUND_FINGERPRINT} = decode(${typeFingerprint}, 'hex')`;
  // PostgreSQL would plan the statement anew for each array.
  const [only] = webPageIds.length === 1 ? webPageIds : [];
  const isOfPages = only === undefined ? sql`= ANY(${webPageIds})` : sql`= ${only}`;
  const { rows } = await sql<StoredIssue>`
    SELECT i.web_page_id, i.position, i.occurrences, i.fingerprints, i.clusters, i.traces, i.new_occurrences, i.mutings, i.decision_id,
      i.found_positions, k.issue_type, k.issue_sub_type, k.message, k.rule_id, k.help_url, k.impact, k.tags, k.outside_standard,
      k.verdict, k.found_type, p.url AS page_url, coalesce(i.url, p.url) AS document_url, encode(coalesce(k.found_key, k.key), 'hex') AS key,
      encode(${FOUND_FINGERPRINT}, 'hex') AS type_fingerprint
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
    WHERE i.web_page_id ${isOfPages} AND i.kind = ${kind} AND ${isOfType}
    ORDER BY i.web_page_id, i.position, i.id`.execute(db);
  return rows;
}

/** An issue as the check found it. */
export interface WholeIssue {
  readonly position: number;
  readonly pageUrl: string;
  readonly whole: PackedIssue;
  readonly mutings: readonly number[];
  readonly isOutside: boolean;
  /** Whether each occurrence is new since the result before the re-check; null if they were not compared. */
  readonly isNew: readonly boolean[] | null;
}

/** Merges the parts of a page's issue, which decisions may have split. */
export function wholeIssue(parts: readonly StoredIssue[]): WholeIssue {
  const [first] = parts;
  if (first === undefined) throw new Error('An issue has at least one part.');
  const howMany = (part: StoredIssue) => part.fingerprints.length / FINGERPRINT_BYTES;
  // The original position of each occurrence, part by part.
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
