import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { ConsentOutcome } from '../../domain/consent.ts';
import { ISSUE_SUMS, type IssueSums } from '../../domain/counts.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { RecheckResult } from '../../issues/diff-recheck.ts';
import type { BeforeColumn } from '../rechecks/recheck-tables.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import { storableFailure } from '../storable.ts';
import type { CheckOutcome, CheckResult } from './check-outcome.ts';
import { UNSTARTED } from './checks.ts';
import { hashOf } from './resource-lists.ts';

/** The columns of a check that its result sets. */
export type CheckUpdate = IssueSums & {
  readonly web_page_id: number;
  readonly status: 'checked' | 'failed';
  readonly error: Failure | null;
  readonly notes: readonly CheckNote[];
  readonly opened_states: number | null;
  readonly consent: ConsentOutcome | null;
  readonly engine_version: string | null;
  readonly resources: string | null;
  readonly recheck: RecheckResult | null;
  readonly reuse_key: string | null;
  readonly varies: boolean;
  readonly is_confirmed: boolean;
  readonly is_scripted: boolean;
  readonly resource_list: string | null;
  readonly reused_from: string | null;
  /** Null for the current time. */
  readonly found_at: Date | null;
};

interface EndedCheck extends Pick<CheckResult, 'webPageId' | 'outcome'> {
  readonly sums: IssueSums;
  readonly recheck: RecheckResult | null;
}

export function checkUpdate({ webPageId, outcome, sums, recheck }: EndedCheck): CheckUpdate {
  const found: Partial<CheckOutcome> = 'issues' in outcome ? outcome : {};
  const { notes = [], engineVersion = null, resources = null, reuseKey = null, varies = false } = found;
  const { reusedFrom, shownAs = null, loaded = null, isUnconfirmed = false } = found;
  return {
    web_page_id: webPageId,
    status: 'issues' in outcome ? 'checked' : 'failed',
    error: 'error' in outcome ? storableFailure(outcome.error) : null,
    ...{ opened_states: shownAs?.openedStates ?? null, consent: shownAs?.consent ?? null },
    ...{ notes, engine_version: engineVersion, resources, recheck, ...sums },
    ...{ reuse_key: reuseKey, varies, is_confirmed: !isUnconfirmed, is_scripted: loaded?.isScripted ?? false },
    resource_list: loaded && hashOf(loaded),
    ...{ reused_from: reusedFrom?.reportId ?? null, found_at: reusedFrom?.foundAt ?? null },
  };
}

export async function updateChecks(
  { trx }: ReportTransaction,
  kind: CheckKind,
  updates: readonly CheckUpdate[],
): Promise<void> {
  const given = sql<CheckUpdate>`jsonb_to_recordset(${JSON.stringify(updates)}::jsonb)`.as<'u'>(
    sql`u(web_page_id bigint, status text, error jsonb, notes jsonb, opened_states integer, consent text, engine_version text, resources text,
      recheck jsonb, reuse_key text, varies boolean, is_confirmed boolean, is_scripted boolean, resource_list text,
      reused_from uuid, found_at timestamptz,
      ${sql.join(ISSUE_SUMS.map((name) => sql`${sql.ref(name)} integer`))})`,
  );
  // A failed check keeps the earlier result, with which the next result is compared.
  const before = (column: BeforeColumn) => sql<null>`CASE u.status WHEN 'failed' THEN ${sql.ref(`c.${column}`)} END`;
  const columns = ['status', 'error', 'notes', 'opened_states', 'consent', 'engine_version', ...ISSUE_SUMS] as const;
  await trx
    .updateTable('checks as c')
    .from(given)
    .set({
      ...UNSTARTED,
      collected: null,
      ...Object.fromEntries(columns.map((column) => [column, sql.ref(`u.${column}`)])),
      resources: sql<null>`decode(u.resources, 'hex')`,
      reuse_key: sql<null>`decode(u.reuse_key, 'hex')`,
      varies: sql<boolean>`c.varies OR u.varies`,
      is_confirmed: sql<boolean>`u.is_confirmed`,
      is_scripted: sql<boolean>`u.is_scripted`,
      resource_list: sql<null>`decode(u.resource_list, 'hex')`,
      reused_from: sql<null>`u.reused_from`,
      found_at: sql<null>`CASE u.status WHEN 'checked' THEN coalesce(u.found_at, now()) END`,
      recheck: sql<null>`u.recheck || jsonb_build_object('checked_at', now())`,
      before_document: before('before_document'),
      before_engine: before('before_engine'),
      before_resources: before('before_resources'),
    })
    .whereRef('c.web_page_id', '=', 'u.web_page_id')
    .where('c.kind', '=', kind)
    .execute();
  await sql`UPDATE web_pages SET last_checked_at = now(), updated_at = now()
    WHERE id = ANY(${updates.map((update) => update.web_page_id)})`.execute(trx);
}

/** Records the version of the engine that checked the first pages of the report. Later re-checks don't change it. */
export async function recordEngine(
  { trx, reportId }: ReportTransaction,
  kind: CheckKind,
  updates: readonly CheckUpdate[],
): Promise<void> {
  const version = updates.find((update) => update.engine_version !== null)?.engine_version;
  if (version === undefined) return;
  await trx
    .updateTable('report_checks')
    .set({ engine_version: version })
    .where('report_id', '=', reportId)
    .where('kind', '=', kind)
    .where('engine_version', 'is', null)
    .execute();
}
