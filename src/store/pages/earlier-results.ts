import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { withoutScreenshot } from '../../domain/check-note.ts';
import type { LoadedResource } from '../../domain/loaded-resource.ts';
import { type Executor, inSnapshot } from '../database.ts';
import { storedIssues, wholeIssue } from '../decisions/stored-issues.ts';
import type { Check } from '../schema.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { earlierReports } from './earlier-reports.ts';

/** A pending check, and the data on which its result will depend. */
export interface WantedResult {
  readonly reportId: string;
  readonly url: string;
  /** `CheckOutcome.reuseKey` of its result. */
  readonly key: string;
  readonly engineVersion: string;
}

/** A check of the same page in an earlier report that has a result. */
export interface EarlierCheck {
  readonly webPageId: number;
  /** Whether it has the wanted key. */
  readonly isKnown: boolean;
  readonly varies: boolean;
  readonly isConfirmed: boolean;
  readonly isScripted: boolean;
  readonly foundAt: Date;
  readonly hasRaw: boolean;
}

/** Finds the same kind of check of the same page in the latest reports of its site by the same account, the newest first. */
export async function earlierChecks(
  db: Executor,
  kind: CheckKind,
  { reportId, url, key, engineVersion }: WantedResult,
): Promise<EarlierCheck[]> {
  const isKnown = sql`(k.reuse_key = decode(${key}, 'hex') AND k.engine_version = ${engineVersion}) IS TRUE`;
  const { rows } = await sql<EarlierCheck>`
    SELECT k.web_page_id AS "webPageId", ${isKnown} AS "isKnown", k.varies, k.is_confirmed AS "isConfirmed", k.is_scripted AS "isScripted", k.found_at AS "foundAt",
      EXISTS (SELECT FROM raw_checks w WHERE w.web_page_id = k.web_page_id AND w.kind = k.kind) AS "hasRaw"
    FROM reports now CROSS JOIN LATERAL (${earlierReports()}) before
      JOIN web_pages p ON p.report_id = before.id AND p.url = ${url}
      JOIN checks k ON k.web_page_id = p.id AND k.kind = ${kind} AND k.status = 'checked'
    WHERE now.id = ${reportId} ORDER BY before.inserted_at DESC, before.id DESC`.execute(db);
  return rows;
}

/** Returns what the page loaded during an earlier check; null if that is not known, or if it no longer has the key. */
export async function earlierResources(
  db: Executor,
  kind: CheckKind,
  { webPageId, key }: { readonly webPageId: number; readonly key: string },
): Promise<readonly LoadedResource[] | null> {
  const { rows } = await sql<{ readonly resources: readonly LoadedResource[] }>`
    SELECT l.resources FROM checks k JOIN resource_lists l ON l.report_id = k.report_id AND l.hash = k.resource_list
    WHERE k.web_page_id = ${webPageId} AND k.kind = ${kind} AND k.reuse_key = decode(${key}, 'hex')`.execute(db);
  return rows[0]?.resources ?? null;
}

/** The parts of an earlier result that are compared. */
interface EarlierFindings {
  /** What the page loaded; null if that is not known. */
  readonly resources: readonly LoadedResource[] | null;
  /** The fingerprints of the occurrences of each of its issues. */
  readonly occurrences: readonly Uint8Array[];
}

/** Returns the parts of a stored result to compare; null under the same conditions as `earlierResult`. */
export async function earlierFindings(
  db: Executor,
  kind: CheckKind,
  { webPageId, key }: { readonly webPageId: number; readonly key: string },
): Promise<EarlierFindings | null> {
  const { rows } = await sql<EarlierFindings>`
    SELECT l.resources, ARRAY(SELECT i.fingerprints FROM issues i WHERE i.web_page_id = k.web_page_id AND i.kind = k.kind) AS occurrences
    FROM checks k JOIN reports r ON r.id = k.report_id AND r.deleted_at IS NULL
      LEFT JOIN resource_lists l ON l.report_id = k.report_id AND l.hash = k.resource_list
    WHERE k.web_page_id = ${webPageId} AND k.kind = ${kind} AND k.status = 'checked' AND k.found_at IS NOT NULL
      AND k.reuse_key = decode(${key}, 'hex')`.execute(db);
  return rows[0] ?? null;
}

type StoredCheck = Pick<
  Check,
  'report_id' | 'engine_version' | 'opened_states' | 'consent' | 'notes' | 'found_at' | 'reused_from'
> & {
  readonly resources: string | null;
  readonly raw: Buffer | null;
  readonly omitted: number | null;
};

/**
 * Returns a stored result as the check found it, without the effects of mutings, decisions and standards, and without the
 * resources that the page loaded. Null if it no longer has the key, because it was replaced or deleted in the meantime.
 * @param needsRaw whether it has to include its raw check
 */
export function earlierResult(
  db: Executor,
  kind: CheckKind,
  { webPageId, key, needsRaw }: { readonly webPageId: number; readonly key: string; readonly needsRaw: boolean },
): Promise<CheckOutcome | null> {
  return inSnapshot(db, async (trx) => {
    const { rows } = await sql<StoredCheck>`
      SELECT k.report_id, k.engine_version, k.opened_states, k.consent, k.notes, encode(k.resources, 'hex') AS resources, k.found_at, k.reused_from, raw.raw, raw.omitted
      FROM checks k JOIN reports r ON r.id = k.report_id AND r.deleted_at IS NULL
        LEFT JOIN raw_checks raw ON ${needsRaw} AND raw.web_page_id = k.web_page_id AND raw.kind = k.kind
      WHERE k.web_page_id = ${webPageId} AND k.kind = ${kind} AND k.status = 'checked' AND k.reuse_key = decode(${key}, 'hex')`.execute(
      trx,
    );
    const [check] = rows;
    if (check === undefined || check.found_at === null || (needsRaw && check.raw === null)) return null;
    const { raw, omitted } = check;
    const stored = await storedIssues(trx, kind, [webPageId]);
    return {
      issues: [...Map.groupBy(stored, ({ position }) => position).values()].map((parts) => wholeIssue(parts).whole),
      notes: withoutScreenshot(check.notes),
      shownAs: { openedStates: check.opened_states, consent: check.consent },
      engineVersion: check.engine_version,
      resources: check.resources,
      ...(raw !== null && { raw: { raw, omitted: omitted ?? 0 } }),
      reuseKey: key,
      reusedFrom: { reportId: check.reused_from ?? check.report_id, webPageId, foundAt: check.found_at },
    };
  });
}
