import { type OperationNodeSource, type RawBuilder, type SqlBool, sql } from 'kysely';
import { noneOf } from '../../domain/amounts.ts';
import { type DiscoveredUrl, type KnownUrl, URL_OUTCOMES, type UrlOutcome } from '../../domain/crawl.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import { type Executor, inSnapshot } from '../database.ts';
import { type Direction, foldedContains, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { DiscoveredUrlRow, Report } from '../schema.ts';
import { storableFailure } from '../storable.ts';
import type { ReportTransaction } from './report-transaction.ts';

/**
 * The outcomes of URLs as the API shows them: after the crawl, the outcome of a waiting URL is the reason why it was not visited.
 */
export const SHOWN_OUTCOMES = [...URL_OUTCOMES, 'over_max_pages', 'not_visited'] as const;
export type ShownOutcome = (typeof SHOWN_OUTCOMES)[number];

/** Number of URLs with each outcome. */
export type OutcomeCounts = Readonly<Record<ShownOutcome, number>>;

const NO_URLS: OutcomeCounts = noneOf(SHOWN_OUTCOMES);

/** The report in which URLs were discovered. */
export type CrawledReport = Pick<Report, 'id' | 'crawl_failed' | 'max_pages'>;

export interface ShownUrl extends Omit<DiscoveredUrlRow, 'report_id' | 'folded_url' | 'outcome'> {
  readonly outcome: ShownOutcome;
  /** The web page with this URL; null if there is none. */
  readonly web_page_id: number | null;
}

export interface DiscoveredUrlFilter {
  /** Part of the URL. */
  readonly url?: string | undefined;
  /** Any of these; default: all. */
  readonly outcomes?: readonly ShownOutcome[] | undefined;
}

export const DISCOVERED_URL_SORT_KEYS = ['position', 'url'] as const;

export interface DiscoveredUrlOrder {
  readonly key: (typeof DISCOVERED_URL_SORT_KEYS)[number];
  readonly direction: Direction;
}

/** URLs read in one statement, each with the URL of the page that links to it. */
const READ_BATCH_ROWS = 5_000;

/** Returns all URLs that a crawl has discovered, in the order of discovery. Equal URLs share one string to save memory. */
export async function knownUrls(db: Executor, reportId: string): Promise<KnownUrl[]> {
  const known: KnownUrl[] = [];
  const texts = new Map<string, string>();
  const shared = <Text extends string | null>(text: Text): Text | string => {
    if (text === null) return text;
    const former = texts.get(text);
    if (former === undefined) texts.set(text, text);
    return former ?? text;
  };
  for (;;) {
    const rows = await db
      .selectFrom('discovered_urls')
      .select(['position', 'url', 'linked_from', 'depth', 'outcome', 'target'])
      .where('report_id', '=', reportId)
      .where('position', '>', known.at(-1)?.position ?? -1)
      .orderBy('position')
      .limit(READ_BATCH_ROWS)
      .execute();
    for (const { url, linked_from: linkedFrom, target, ...row } of rows) {
      known.push({ ...row, url: shared(url), linkedFrom: shared(linkedFrom), target: shared(target) });
    }
    if (rows.length < READ_BATCH_ROWS) return known;
  }
}

/** Saves new URLs and changed outcomes. If `urls` has a URL twice, the last entry counts. */
export async function saveDiscoveredUrls(
  { trx, reportId }: ReportTransaction,
  urls: readonly DiscoveredUrl[],
): Promise<void> {
  const last = [...new Map(urls.map((url) => [url.position, url])).values()];
  if (last.length === 0) return;
  const texts = (value: (url: DiscoveredUrl) => string | null) => sql`${last.map(value)}::text[]`;
  const integers = (value: (url: DiscoveredUrl) => number | null) => sql`${last.map(value)}::integer[]`;
  const saved = sql`
    INSERT INTO discovered_urls (report_id, position, url, linked_from, depth, outcome, target, http_status, detail)
    SELECT ${reportId}, * FROM unnest(${integers((url) => url.position)}, ${texts((url) => url.url)},
      ${texts((url) => url.linkedFrom)}, ${integers((url) => url.depth)}, ${texts((url) => url.outcome)},
      ${texts((url) => url.target)}, ${integers((url) => url.httpStatus)},
      ${texts(({ detail }) => (detail === null ? null : JSON.stringify(storableFailure(detail))))}::jsonb[])
    ON CONFLICT (report_id, position) DO UPDATE SET outcome = excluded.outcome, target = excluded.target,
      http_status = excluded.http_status, detail = excluded.detail
    RETURNING ${OUTCOMES} AS outcomes`;
  await countChanges(saved, reportId).execute(trx);
}

/** Changes the outcome of a web page's URL. */
export async function changeOutcome(
  { trx, reportId }: ReportTransaction,
  url: string,
  {
    detail,
    ...rest
  }: { readonly outcome: UrlOutcome; readonly http_status?: number | null; readonly detail?: Failure | null },
): Promise<void> {
  const saved = trx
    .updateTable('discovered_urls')
    .set({ ...rest, ...(detail !== undefined && { detail: detail && JSON.stringify(storableFailure(detail)) }) })
    .where('report_id', '=', reportId)
    .where('url', '=', url)
    .returning(OUTCOMES.as('outcomes'));
  await countChanges(saved, reportId).execute(trx);
}

/** Selects the former outcome of a URL, if any, and its present one. */
const OUTCOMES = sql`ARRAY[old.outcome, new.outcome]`;

/**
 * Builds a statement that saves URLs and adjusts the counts of their outcomes. The report's lock makes it safe to look for a
 * count before inserting it.
 * @param saved a statement that returns `outcomes`
 */
function countChanges(saved: OperationNodeSource, reportId: string): RawBuilder<unknown> {
  return sql`
    WITH saved AS (${saved}), changes AS (
      SELECT outcome, sum(change) AS change
      FROM saved CROSS JOIN LATERAL (VALUES (outcomes[1], -1), (outcomes[2], 1)) AS single (outcome, change)
      WHERE outcome IS NOT NULL GROUP BY outcome HAVING sum(change) <> 0
    )
    MERGE INTO discovered_url_counts c USING changes ON c.report_id = ${reportId} AND c.outcome = changes.outcome
    WHEN MATCHED THEN UPDATE SET how_many = c.how_many + changes.change
    WHEN NOT MATCHED THEN INSERT (report_id, outcome, how_many) VALUES (${reportId}, changes.outcome, changes.change)`;
}

/** Counts a report's URLs by outcome. */
export async function countOutcomes(db: Executor, report: CrawledReport): Promise<OutcomeCounts> {
  const rows = await db
    .selectFrom('discovered_url_counts')
    .select(['outcome', 'how_many'])
    .where('report_id', '=', report.id)
    .execute();
  const counts = { ...NO_URLS };
  for (const { outcome, how_many } of rows) counts[outcome] = how_many;
  return { ...counts, waiting: 0, [waitingOutcome(report, counts)]: counts.waiting };
}

/**
 * Returns the outcome shown for waiting URLs. After the crawl, URLs still wait if the report was full or the crawl was aborted.
 */
function waitingOutcome({ crawl_failed, max_pages }: CrawledReport, counts: OutcomeCounts): ShownOutcome {
  if (crawl_failed === null) return 'waiting';
  return counts.page + counts.failed + counts.deleted >= max_pages ? 'over_max_pages' : 'not_visited';
}

export interface DiscoveredUrlPage extends ListPage<ShownUrl> {
  /** Counts of the whole report. */
  readonly outcomes: OutcomeCounts;
  /** Counts of the URLs that match the filter. They add up to the total. */
  readonly matching: OutcomeCounts;
}

/** Returns a page of a report's discovered URLs, read from one snapshot even if the crawl is in progress. */
export function listDiscoveredUrls(
  db: Executor,
  report: CrawledReport,
  { url, outcomes: chosen = SHOWN_OUTCOMES }: DiscoveredUrlFilter,
  order: DiscoveredUrlOrder,
  page: PageRequest,
): Promise<DiscoveredUrlPage> {
  return inSnapshot(db, async (trx) => {
    const outcomes = await countOutcomes(trx, report);
    const waitingShown = waitingOutcome(report, outcomes);
    const shown = (stored: UrlOutcome): ShownOutcome => (stored === 'waiting' ? waitingShown : stored);
    const stored = URL_OUTCOMES.filter((outcome) => chosen.includes(shown(outcome)));
    const ofReport = trx.selectFrom('discovered_urls').where('report_id', '=', report.id);
    let list = stored.length < URL_OUTCOMES.length ? ofReport.where(sql<SqlBool>`outcome = ANY(${stored})`) : ofReport;
    if (url !== undefined) list = list.where(foldedContains(sql.ref('folded_url'), url));

    const matching = { ...NO_URLS };
    if (url === undefined) {
      for (const outcome of stored.map(shown)) matching[outcome] = outcomes[outcome];
    } else {
      const counted = list.select(['outcome', (eb) => eb.fn.countAll<number>().as('how_many')]).groupBy('outcome');
      for (const { outcome, how_many } of await counted.execute()) matching[shown(outcome)] = how_many;
    }
    const total = Object.values(matching).reduce((sum, howMany) => sum + howMany, 0);
    const select = (urls: typeof list) =>
      urls
        .select(['position', 'url', 'linked_from', 'depth', 'outcome', 'target', 'http_status', 'detail'])
        .select(webPageId.as('web_page_id'))
        .where('report_id', '=', report.id)
        .orderBy(order.key, order.direction);
    const { rows } = await listPage(list, page, select, { id: 'position', total });
    return { total, rows: rows.map((row) => ({ ...row, outcome: shown(row.outcome) })), outcomes, matching };
  });
}

const webPageId = sql<number | null>`(
  SELECT p.id FROM web_pages p
  WHERE p.report_id = discovered_urls.report_id AND p.url = discovered_urls.url)`;
