import { promisify } from 'node:util';
import { zstdCompressSync, zstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import type { CheckKind, Json, RawCheck } from '../../domain/check.ts';
import { creditsOver } from '../credits/credits.ts';
import type { Executor } from '../database.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';

const decompress = promisify(zstdDecompress);

/** A raw check in the form in which it is stored. */
export interface PackedRawCheck {
  /** JSON, compressed with zstd. */
  readonly raw: Uint8Array;
  readonly omitted: number;
}

/** A raw check as the API shows it. */
export interface StoredRawCheck {
  readonly id: number;
  readonly raw: Readonly<Record<string, Json>>;
  /** The number of entries left out because the raw check was too large. */
  readonly omitted: number;
}

/** Packs a raw check for the database. Blocks the thread: a large one takes a tenth of a second. */
export function packRawCheck({ json, omitted }: RawCheck): PackedRawCheck {
  return { raw: zstdCompressSync(Buffer.from(json)), omitted };
}

/** The raw check of a page that has been checked. */
interface NewRawCheck {
  readonly webPageId: number;
  /** Null if the report does not store it. */
  readonly raw: PackedRawCheck | null;
  /** Whether the check failed. */
  readonly isFailed: boolean;
}

/**
 * Stores as many raw checks as the credits pay for, and removes raw checks of failed checks. Always stores a raw check that
 * replaces an earlier one: the account had the credits when the re-check was requested, and must not lose what it has paid for.
 */
export async function replaceRawChecks(
  change: ReportTransaction,
  kind: CheckKind,
  checks: readonly NewRawCheck[],
): Promise<void> {
  const { trx, reportId } = change;
  const wanted = checks.flatMap(({ webPageId, raw }) => (raw === null ? [] : [{ webPageId, ...raw }]));
  const { granted, shortage } = await change.takeCredits(wanted.length, 'raw_checks');
  let stored = wanted;
  if (shortage !== null) {
    const ids = wanted.map(({ webPageId }) => webPageId);
    const earlier = await pagesWithRawCheck(trx, kind, ids);
    const added = wanted.filter(({ webPageId }) => !earlier.has(webPageId));
    stored = [...wanted.filter(({ webPageId }) => earlier.has(webPageId)), ...added.slice(0, granted)];
    if (granted < added.length) {
      await trx
        .updateTable('reports')
        .set({ crawl_error: creditsOver(shortage) })
        .where('id', '=', reportId)
        .execute();
    }
  }
  const failed = checks.filter(({ isFailed }) => isFailed);
  await removeRawChecks(
    change,
    kind,
    failed.map(({ webPageId }) => webPageId),
  );
  await saveRawChecks(change, kind, stored);
}

/** Stores raw checks of one kind, replacing earlier ones of the same pages. */
export async function saveRawChecks(
  { trx }: ReportTransaction,
  kind: CheckKind,
  rows: readonly (PackedRawCheck & { readonly webPageId: number })[],
): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('raw_checks')
    .values(
      rows.map(({ webPageId, raw, omitted }) => ({ web_page_id: webPageId, kind, raw: Buffer.from(raw), omitted })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['web_page_id', 'kind'])
        .doUpdateSet({ raw: sql.ref('excluded.raw'), omitted: sql.ref('excluded.omitted') }),
    )
    .execute();
}

/** Removes the raw checks of one kind from pages. */
export async function removeRawChecks(
  { trx }: ReportTransaction,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<void> {
  if (webPageIds.length === 0) return;
  await trx.deleteFrom('raw_checks').where('kind', '=', kind).where('web_page_id', 'in', webPageIds).execute();
}

/** Returns the pages that have a raw check of a kind. */
async function pagesWithRawCheck(
  db: Executor,
  kind: CheckKind,
  webPageIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('raw_checks')
    .select('web_page_id')
    .where('kind', '=', kind)
    .where('web_page_id', 'in', webPageIds)
    .execute();
  return new Set(rows.map((row) => row.web_page_id));
}

/** Returns a page's raw check of a kind; undefined if none is stored. */
export async function findRawCheck(
  db: Executor,
  webPageId: number,
  kind: CheckKind,
): Promise<StoredRawCheck | undefined> {
  const row = await db
    .selectFrom('raw_checks')
    .select(['id', 'raw', 'omitted'])
    .where('web_page_id', '=', webPageId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row === undefined ? undefined : { ...row, raw: JSON.parse((await decompress(row.raw)).toString('utf8')) };
}
