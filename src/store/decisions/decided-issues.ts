import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { COLOR_RULES } from '../../domain/color-rules.ts';
import type { ActingDecision } from '../../domain/decision.ts';
import { clustersByPair } from '../../issues/color-clusters.ts';
import { TypeDecisions } from '../../issues/decided-positions.ts';
import { decidedTypeFingerprint } from '../../issues/decided-type.ts';
import { partOf } from '../../issues/part-of-issue.ts';
import { type PackedIssue, unpackOccurrences } from '../issues/packed-issues.ts';
import { packOccurrences } from '../issues/packed-occurrences.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';

/** Issues of a page as a check found them. */
interface IssuesOfPage {
  readonly webPageId: number;
  readonly issues: readonly PackedIssue[];
}

/**
 * Returns the issues of pages with the decisions about them applied: an issue is split if different decisions apply to its
 * occurrences. A decision that is made or undone in the meantime is applied to the report after this change.
 */
export async function applyDecisions<Page extends IssuesOfPage>(
  change: ReportTransaction,
  kind: CheckKind,
  found: readonly Page[],
): Promise<readonly Page[]> {
  const types = new Set(found.flatMap(({ issues }) => issues.map(({ identity }) => identity.kind)));
  const decisions = await actingDecisions(change, kind, [...types]);
  if (decisions.size === 0) return found;
  const urls = await pageUrls(
    change,
    found.map(({ webPageId }) => webPageId),
  );
  return found.map((page) => ({
    ...page,
    issues: page.issues.flatMap((issue, position) =>
      decidedParts(issue, position, urls.get(page.webPageId) ?? '', decisions.get(issue.identity.kind)),
    ),
  }));
}

/**
 * Splits an issue by the decisions about its occurrences. Returns the whole issue if there are none.
 * @param position the position of the issue among the issues of its page
 */
export function decidedParts(
  issue: PackedIssue,
  position: number,
  pageUrl: string,
  decisions: TypeDecisions | undefined,
): PackedIssue[] {
  // Parts keep the position of the issue, so that decisions can be undone.
  const whole = { ...issue, foundAt: { position, occurrences: null } };
  if (decisions === undefined) return [whole];
  const { kind: issueType, occurrences, clusters } = issue.identity;
  const byPair = () =>
    COLOR_RULES.includes(issue.ruleId ?? '') ? clustersByPair(issueType, unpackOccurrences(issue.occurrences)) : [];
  const parts = decisions.positionsIn({ pageUrl, occurrences, clusters, byPair });
  if (parts.size === 1) return [...parts.keys()].map((decision) => decided(whole, decision));
  const unpacked = { ...issue, occurrences: unpackOccurrences(issue.occurrences) };
  return [...parts].map(([decision, positions]) => {
    const part = partOf(unpacked, positions);
    const packed = { ...part, occurrences: packOccurrences(part.occurrences) };
    return decided({ ...packed, foundAt: { position, occurrences: positions } }, decision);
  });
}

function decided(issue: PackedIssue, decision: ActingDecision | null): PackedIssue {
  if (decision === null) return issue;
  const { id, verdict } = decision;
  const { key, identity, type } = issue;
  return {
    ...issue,
    key: hash('sha256', JSON.stringify([key, verdict])),
    type: verdict === 'error' ? 'error' : type,
    identity: { ...identity, kind: decidedTypeFingerprint(identity.kind, verdict) },
    decision: { id, verdict, foundKey: key, foundFingerprint: identity.kind, foundType: type },
  };
}

/** Returns the decisions that apply to a report, by issue type. Omits issue types without decisions. */
export async function actingDecisions(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  typeFingerprints: readonly string[],
): Promise<ReadonlyMap<string, TypeDecisions>> {
  if (typeFingerprints.length === 0) return new Map();
  const { rows } = await sql<ActingDecision & { readonly type: string }>`
    SELECT d.id, d.scope, d.verdict, encode(coalesce(d.cluster, d.fingerprint), 'hex') AS target, d.page_url AS "pageUrl",
      encode(d.type_fingerprint, 'hex') AS type
    FROM reports r JOIN decisions d ON d.site_id = r.site_id
    WHERE r.id = ${reportId} AND d.kind = ${kind} AND d.deleted_at IS NULL AND r.id >= d.since_report
      AND d.type_fingerprint = ANY(ARRAY(SELECT decode(type, 'hex') FROM unnest(${typeFingerprints}::text[]) AS type))`.execute(
    trx,
  );
  return new Map([...Map.groupBy(rows, ({ type }) => type)].map(([type, of]) => [type, new TypeDecisions(of)]));
}

async function pageUrls({ trx }: ReportTransaction, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; url: string }>`
    SELECT id, url FROM web_pages WHERE id = ANY(${ids})`.execute(trx);
  return new Map(rows.map(({ id, url }) => [id, url]));
}
