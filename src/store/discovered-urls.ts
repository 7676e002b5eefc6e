import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type DiscoveredUrl, type KnownUrl, URL_OUTCOMES, type UrlOutcome } from '../domain/crawl.ts';
import type { ReportChange } from './change-report.ts';
import { type Executor, inSnapshot } from './database.ts';
import { type Direction, foldedContains, type ListPage, type PageRequest } from './listing.ts';
import type { DiscoveredUrlRow, Report } from './schema.ts';
import { storableSentence } from './storable.ts';

/** What became of a URL, as it is shown: a crawl that is over tells why a URL still waits. */
export const SHOWN_OUTCOMES = [...URL_OUTCOMES, 'over_max_pages', 'not_visited'] as const;
export type ShownOutcome = (typeof SHOWN_OUTCOMES)[number];

/** How many URLs of a report have each outcome. They add up to all that are kept. */
export type OutcomeCounts = Readonly<Record<ShownOutcome, number>>;

const NO_URLS: OutcomeCounts = {
  page: 0,
  failed: 0,
  redirected: 0,
  duplicate: 0,
  not_html: 0,
  sitemap: 0,
  robots: 0,
  excluded: 0,
  off_site: 0,
  too_deep: 0,
  not_listed: 0,
  deleted: 0,
  waiting: 0,
  over_max_pages: 0,
  not_visited: 0,
};

/** The report that URLs were discovered in. */
export type CrawledReport = Pick<Report, 'id' | 'crawl_failed' | 'max_pages'>;

export interface ShownUrl extends Omit<DiscoveredUrlRow, 'report_id' | 'folded_url' | 'outcome'> {
  readonly outcome: ShownOutcome;
  /** The web page that the URL is; null when it is none. */
  readonly web_page_id: number | null;
}

export interface DiscoveredUrlFilter {
  /** Part of the URL. */
  readonly url?: string | undefined;
  /** Any of these; all when absent. */
  readonly outcomes?: readonly ShownOutcome[] | undefined;
}

export const DISCOVERED_URL_SORT_KEYS = ['position', 'url'] as const;

export interface DiscoveredUrlOrder {
  readonly key: (typeof DISCOVERED_URL_SORT_KEYS)[number];
  readonly direction: Direction;
}

/** What is read of a URL that is listed. */
const COLUMNS = ['position', 'url', 'linked_from', 'depth', 'target', 'http_status', 'detail'] as const;

/** URLs read at a time. The page on which many were found comes with each of them. */
const READ_AT_ONCE = 5_000;

/** Everything that a crawl knows of its URLs so far, in the order of discovery. Every mention of a URL is one string. */
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
      .limit(READ_AT_ONCE)
      .execute();
    for (const { url, linked_from: linkedFrom, target, ...row } of rows) {
      known.push({ ...row, url: shared(url), linkedFrom: shared(linkedFrom), target: shared(target) });
    }
    if (rows.length < READ_AT_ONCE) return known;
  }
}

/** Writes new URLs and changed outcomes. Of several changes to one URL the last counts. The report must be locked. */
export async function saveDiscoveredUrls(
  db: Executor,
  reportId: string,
  urls: readonly DiscoveredUrl[],
): Promise<void> {
  const last = [...new Map(urls.map((url) => [url.position, url])).values()];
  if (last.length === 0) return;
  const texts = (value: (url: DiscoveredUrl) => string | null) => sql`${last.map(value)}::text[]`;
  const integers = (value: (url: DiscoveredUrl) => number | null) => sql`${last.map(value)}::integer[]`;
  await sql`
    INSERT INTO discovered_urls (report_id, position, url, linked_from, depth, outcome, target, http_status, detail)
    SELECT ${reportId}, * FROM unnest(${integers((url) => url.position)}, ${texts((url) => url.url)},
      ${texts((url) => url.linkedFrom)}, ${integers((url) => url.depth)}, ${texts((url) => url.outcome)},
      ${texts((url) => url.target)}, ${integers((url) => url.httpStatus)},
      ${texts(({ detail }) => (detail === null ? null : storableSentence(detail)))})
    ON CONFLICT (report_id, position) DO UPDATE SET outcome = excluded.outcome, target = excluded.target,
      http_status = excluded.http_status, detail = excluded.detail`.execute(db);
}

/** Notes what became of the URL of a web page since it was one. */
export async function changeOutcome(
  { trx, reportId }: ReportChange,
  url: string,
  change: { readonly outcome: UrlOutcome; readonly http_status?: number | null; readonly detail?: string | null },
): Promise<void> {
  await trx
    .updateTable('discovered_urls')
    .set(change)
    .where('report_id', '=', reportId)
    .where('url', '=', url)
    .execute();
}

export async function countOutcomes(db: Executor, report: CrawledReport): Promise<OutcomeCounts> {
  const rows = await db
    .selectFrom('discovered_url_counts')
    .select(['outcome', 'how_many'])
    .where('report_id', '=', report.id)
    .execute();
  const counts = { ...NO_URLS };
  for (const { outcome, how_many } of rows) counts[outcome] = how_many;
  return { ...counts, waiting: 0, [shownWaiting(report, counts)]: counts.waiting };
}

/** What is shown for URLs that wait. They do so when all pages were found, or when the crawl was given up. */
function shownWaiting({ crawl_failed, max_pages }: CrawledReport, counts: OutcomeCounts): ShownOutcome {
  if (crawl_failed === null) return 'waiting';
  return counts.page + counts.failed + counts.deleted >= max_pages ? 'over_max_pages' : 'not_visited';
}

export interface DiscoveredUrlPage extends ListPage<ShownUrl> {
  /** Of the whole report. */
  readonly outcomes: OutcomeCounts;
  /** Of what the filters leave. They add up to the total. */
  readonly matching: OutcomeCounts;
}

/** A page of the URLs that were discovered in a report. A crawl may go on meanwhile: all of the page is of one moment. */
export function listDiscoveredUrls(
  db: Executor,
  report: CrawledReport,
  filter: DiscoveredUrlFilter,
  order: DiscoveredUrlOrder,
  page: PageRequest,
): Promise<DiscoveredUrlPage> {
  return inSnapshot(db, (trx) => listInSnapshot(trx, report, filter, order, page));
}

async function listInSnapshot(
  db: Executor,
  report: CrawledReport,
  filter: DiscoveredUrlFilter,
  order: DiscoveredUrlOrder,
  page: PageRequest,
): Promise<DiscoveredUrlPage> {
  const outcomes = await countOutcomes(db, report);
  const waitingAs = shownWaiting(report, outcomes);
  const isWanted = (outcome: ShownOutcome) => filter.outcomes === undefined || filter.outcomes.includes(outcome);
  const wanted = SHOWN_OUTCOMES.filter((outcome) => outcomes[outcome] > 0 && isWanted(outcome));
  const all = { ...NO_URLS, ...Object.fromEntries(wanted.map((outcome) => [outcome, outcomes[outcome]])) };
  const { matching, found } =
    filter.url === undefined
      ? { matching: all, found: null }
      : await search(db, report.id, { text: filter.url, outcomes: storedOutcomes(all), waitingAs });
  const list: CountedList = { reportId: report.id, matching, numKept: sumOf(outcomes), text: filter.url, found };
  const rows = await urlsAt(db, report.id, await positionsOn(db, list, order, page), order);
  const shown = rows.map((row) => ({ ...row, outcome: row.outcome === 'waiting' ? waitingAs : row.outcome }));
  return { total: sumOf(matching), rows: shown, outcomes, matching };
}

/** Those of a report's URLs that the filters leave, counted. */
interface CountedList {
  readonly reportId: string;
  readonly matching: OutcomeCounts;
  /** How many URLs the report has, whatever the filters. */
  readonly numKept: number;
  /** Part of the URLs. */
  readonly text: string | undefined;
  /** Their positions, where they are few. */
  readonly found: readonly number[] | null;
}

/** A share of a report's URLs, from which on walking through all of them is the shorter way to those with some outcomes. */
const COMMON_SHARE = 1 / 20;

/** Positions of each outcome that a search gives at once, so that they need not be searched for again. */
const FEW_POSITIONS = 5_000;

/** Counts those of a report's URLs that have a text in them, in one walk through an index. */
async function search(
  db: Executor,
  reportId: string,
  { text, outcomes, waitingAs }: { text: string; outcomes: readonly UrlOutcome[]; waitingAs: ShownOutcome },
): Promise<{ readonly matching: OutcomeCounts; readonly found: readonly number[] | null }> {
  if (outcomes.length === 0) return { matching: NO_URLS, found: [] };
  const { rows } = await sql<{ outcome: UrlOutcome; howMany: number; positions: readonly number[] | null }>`
    SELECT outcome, count(*) AS "howMany",
      CASE WHEN count(*) <= ${FEW_POSITIONS} THEN array_agg(position) END AS positions
    FROM discovered_urls
    WHERE report_id = ${reportId} AND ${oneOf(outcomes, true)} AND ${foldedContains(sql.ref('folded_url'), text)}
    GROUP BY outcome`.execute(db);
  const counts = rows.map(({ outcome, howMany }) => [outcome === 'waiting' ? waitingAs : outcome, howMany]);
  const areFew = rows.every(({ positions }) => positions !== null);
  return {
    matching: { ...NO_URLS, ...Object.fromEntries(counts) },
    found: areFew ? rows.flatMap(({ positions }) => positions ?? []) : null,
  };
}

/** The places on a page of a list. They are looked for from the end that is nearer. */
async function positionsOn(
  db: Executor,
  { reportId, matching, numKept, text, found }: CountedList,
  { key, direction }: DiscoveredUrlOrder,
  page: PageRequest,
): Promise<readonly number[]> {
  const total = sumOf(matching);
  const offset = Math.min((page.number - 1) * page.size, total);
  const size = Math.min(page.size, total - offset);
  const fromEnd = total - offset - size;
  if (size === 0) return [];
  if (total === numKept && key === 'position') {
    // A URL's position is its place in the list, so that a deep page is found at once.
    return Array.from({ length: size }, (_, index) => (direction === 'asc' ? offset : fromEnd) + index);
  }
  const isNearer = fromEnd < offset;
  const isAscending = (direction === 'asc') !== isNearer;
  let list = db.selectFrom('discovered_urls').where('report_id', '=', reportId);
  if (found === null) {
    // By URL, the index of outcomes leads to rows all over the table.
    const isWalk = text !== undefined || (key === 'url' && total > numKept * COMMON_SHARE);
    list = list.where(oneOf(storedOutcomes(matching), isWalk));
    // The index by URL does not hold them folded. They are ASCII, so that this is the same.
    const folded = key === 'url' ? sql<string>`lower(url)` : sql.ref<string>('folded_url');
    if (text !== undefined) list = list.where(foldedContains(folded, text));
  } else {
    list = list.where(sql<SqlBool>`position = ANY(${found})`);
  }
  const rows = await list
    .select('position')
    // Few are sorted, so that they are not looked for among all others in the order of the index.
    .orderBy(key === 'url' && found !== null ? sql`url || ''` : sql.ref(key), isAscending ? 'asc' : 'desc')
    .limit(size)
    .offset(isNearer ? fromEnd : offset)
    .execute();
  return rows.map(({ position }) => position);
}

/** @param isUnguessed whether the index of outcomes is not to be used, which this condition then hides from */
function oneOf([first, ...others]: readonly UrlOutcome[], isUnguessed: boolean): RawBuilder<SqlBool> {
  // Only of a single outcome does an index have the URLs in their order.
  const condition = sql<SqlBool>`outcome = ${others.length === 0 ? first : sql`ANY(${[first, ...others]})`}`;
  return isUnguessed ? sql<SqlBool>`coalesce(${condition}, false)` : condition;
}

/** What is shown of some of a report's URLs, in the order of the list. */
async function urlsAt(
  db: Executor,
  reportId: string,
  positions: readonly number[],
  { key, direction }: DiscoveredUrlOrder,
) {
  if (positions.length === 0) return [];
  return db
    .selectFrom('discovered_urls')
    .select([...COLUMNS, 'outcome', webPageId.as('web_page_id')])
    .where('report_id', '=', reportId)
    .where(sql<SqlBool>`position = ANY(${positions})`)
    .orderBy(key, direction)
    .execute();
}

const webPageId = sql<number | null>`(
  SELECT p.id FROM web_pages p
  WHERE p.report_id = discovered_urls.report_id AND p.url = discovered_urls.url COLLATE "default")`;

/** As what URLs are stored that are shown so; only those that wait are shown otherwise. */
function storedOutcomes(shown: OutcomeCounts): readonly UrlOutcome[] {
  return SHOWN_OUTCOMES.filter((outcome) => shown[outcome] > 0).map(
    (outcome) => URL_OUTCOMES.find((stored) => stored === outcome) ?? 'waiting',
  );
}

function sumOf(outcomes: OutcomeCounts): number {
  return Object.values(outcomes).reduce((sum, howMany) => sum + howMany, 0);
}
