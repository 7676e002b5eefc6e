import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { type Executor, inSnapshot } from '../database.ts';
import { asFound, storedIssues } from '../decisions/stored-issues.ts';
import type { Check } from '../schema.ts';
import type { CheckOutcome } from './check-results.ts';
import type { PackedRawCheck } from './raw-checks.ts';

/** The number of earlier reports of a site in which a result is looked for. */
const EARLIER_REPORTS_MAX = 5;

/** A pending check, and what its result will depend on. */
export interface WantedResult {
  readonly reportId: string;
  readonly url: string;
  /** `CheckOutcome.reuseKey` of its result. */
  readonly key: string;
  /** Whether its raw check is wanted, too. */
  readonly needsRaw: boolean;
}

/** What earlier checks of a page found. */
export interface EarlierResults {
  /** Whether results of the page have differed although nothing had changed. */
  readonly varies: boolean;
  /** Whether one of them has the same key. */
  readonly isKnown: boolean;
  /** The latest complete result with the same key; null if there is none, or if it varies. */
  readonly result: CheckOutcome | null;
}

/** Finds the results of the same kind of check of the same page in the latest reports of its site by the same account. */
export function earlierResults(db: Executor, kind: CheckKind, wanted: WantedResult): Promise<EarlierResults> {
  return inSnapshot(db, async (trx) => {
    const rows = await earlierChecks(trx, kind, wanted);
    const varies = rows.some((row) => row.varies);
    const known = rows.filter(({ reuse_key: key }) => key?.toString('hex') === wanted.key);
    const usable = known.find(({ raw }) => raw !== null || !wanted.needsRaw);
    const isUsed = usable !== undefined && !varies;
    return { varies, isKnown: known.length > 0, result: isUsed ? await resultOf(trx, kind, usable, wanted) : null };
  });
}

interface EarlierCheck
  extends Pick<Check, 'web_page_id' | 'report_id' | 'engine_version' | 'notes' | 'varies' | 'reuse_key'> {
  readonly resources: string | null;
  readonly found_at: Date;
  readonly reused_from: string | null;
  readonly raw: Buffer | null;
  readonly omitted: number | null;
}

/** The newest first. */
async function earlierChecks(
  db: Executor,
  kind: CheckKind,
  { reportId, url, key, needsRaw }: WantedResult,
): Promise<EarlierCheck[]> {
  const { rows } = await sql<EarlierCheck>`
    SELECT k.web_page_id, k.report_id, k.engine_version, k.notes, k.varies, k.reuse_key, encode(k.resources, 'hex') AS resources,
      k.found_at, k.reused_from, raw.raw, raw.omitted
    FROM reports now CROSS JOIN LATERAL (
      SELECT before.id, before.inserted_at FROM reports before
      WHERE before.site_id = now.site_id AND before.account_id = now.account_id AND before.deleted_at IS NULL
        AND NOT before.temporary AND (before.inserted_at, before.id) < (now.inserted_at, now.id)
      ORDER BY before.inserted_at DESC, before.id DESC LIMIT ${EARLIER_REPORTS_MAX}
    ) before
      JOIN web_pages p ON p.report_id = before.id AND p.url = ${url}
      JOIN checks k ON k.web_page_id = p.id AND k.kind = ${kind} AND k.status = 'checked'
      LEFT JOIN raw_checks raw ON ${needsRaw} AND k.reuse_key = decode(${key}, 'hex') AND raw.web_page_id = p.id AND raw.kind = k.kind
    WHERE now.id = ${reportId} ORDER BY before.inserted_at DESC, before.id DESC`.execute(db);
  return rows;
}

/** Returns a stored result as the check found it, without what mutings, decisions and standards did to it. */
async function resultOf(
  db: Executor,
  kind: CheckKind,
  check: EarlierCheck,
  { key, needsRaw }: WantedResult,
): Promise<CheckOutcome> {
  const { report_id: reportId, reused_from: reusedFrom, found_at: foundAt, raw, omitted } = check;
  const stored = await storedIssues(db, kind, [check.web_page_id]);
  const packed: PackedRawCheck | null = needsRaw && raw !== null ? { raw, omitted: omitted ?? 0 } : null;
  return {
    issues: [...Map.groupBy(stored, ({ position }) => position).values()].map((parts) => asFound(parts).whole),
    notes: check.notes,
    engineVersion: check.engine_version,
    resources: check.resources,
    ...(packed !== null && { raw: packed }),
    reuseKey: key,
    reusedFrom: { reportId: reusedFrom ?? reportId, foundAt },
  };
}
