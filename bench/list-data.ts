/** Fills an empty database with the reports of a busy installation, with one statement per table. */

import { sql } from 'kysely';
import pg from 'pg';
import type { Json } from '../src/domain/check.ts';
import { ISSUE_SUMS } from '../src/domain/counts.ts';
import type { Failure } from '../src/domain/failures/failure.ts';
import { diffReports } from '../src/reports/diff-reports.ts';
import { openDatabase } from '../src/store/database.ts';
import { saveDiff } from '../src/store/diffs/diffs.ts';
import type { ReportState } from '../src/store/diffs/pending-insights.ts';
import { packOccurrences } from '../src/store/issues/packed-occurrences.ts';
import { reportTransaction } from '../src/store/reports/report-transaction.ts';
import { documents, insights, screenshots } from './list-insights.ts';

/** The account and the resources whose lists are measured. */
export interface SeededLists {
  /** Owns four fifths of the reports, including all large ones. */
  readonly accountId: string;
  /** Values of path parameters: the largest resource of each type. */
  readonly values: Readonly<Record<string, string>>;
}

/** Numbers of reports and their pages at full scale: a million pages in total. */
const SIZES: readonly (readonly [reports: number, pages: number])[] = [
  [2, 100_200],
  [15, 20_000],
  [80, 4_000],
  [903, 200],
];
const HTML_ISSUES_A_PAGE = 8;
const A11Y_ISSUES_A_PAGE = 3;
const A11Y_RULES = 60;
const NOT_FOUND = JSON.stringify({ code: 'error_status', params: { status: 404 } } satisfies Failure);

/** Sites of the account, each with about twelve reports: a multiple of 4, so that each has one starting URL. */
const SITES = 68;

const GONE = 'https://elsewhere.example/gone';

/** Clusters of the most common issue types. */
const CLUSTERS = 50;

/** Occurrences of one issue type on one page, such as an obsolete attribute of each cell of a table. */
const CROWDED_OCCURRENCES = 100_000;

/** Issue types on one page, such as a generated table with a different mistake in each row. */
const WORST_PAGE_ISSUES = 5_000;

/**
 * @param scale 1 for a thousand reports, a million pages and ten million issues; less makes the reports smaller
 * @param largest how many of the reports, the largest first: two are compared with each other
 * @param tell called with the name of each step before it begins
 */
export async function seedLists(
  connectionString: string,
  { scale, largest }: { readonly scale: number; readonly largest: number },
  tell: (step: string) => void,
): Promise<SeededLists> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const run = (text: string) => client.query(text);
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['accounts and reports', () => run(reports(scale, largest))],
    ['documents', () => documents(client)],
    ['pages', () => run(pages())],
    ['issue types', () => run(kinds())],
    ['issues', () => withoutIndexes(client, 'issues', () => run(issues()))],
    ['statistics of issues', () => run('ANALYZE issues')],
    ['mutings', () => run(mutings())],
    ['counts', () => run(counts())],
    ['comparisons and fixes', () => run(insights())],
    ['screenshots', () => run(screenshots())],
    ['links', () => run(links())],
    ['excluded URLs', () => run(excludedUrls())],
    ['discovered URLs', () => run(discoveredUrls())],
    ['guests, schedules, tokens and credits', () => run(accountData())],
    ['vacuum', () => run('VACUUM (ANALYZE)')],
    ['comparison of the largest reports', () => compareLargest(connectionString)],
  ];
  try {
    // Without triggers and foreign keys: rows are inserted in an order that these would reject, and much faster.
    await run("SET session_replication_role = replica; SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'");
    await run('SELECT setseed(0.5)');
    for (const [name, step] of steps) {
      tell(name);
      await step();
    }
    return await describeSeeded(client);
  } finally {
    await client.end();
  }
}

/** Compares the two largest reports as the service does, so that the lists of changes have their data. */
async function compareLargest(connectionString: string): Promise<void> {
  const { db, close } = openDatabase(connectionString, () => undefined, { use: 'work' });
  try {
    const largest = db.selectFrom('reports').orderBy('num_pages', 'desc').orderBy('inserted_at', 'desc').limit(2);
    const [now, before] = await largest.select(['id', sql<ReportState>`end_results_at::text`.as('state')]).execute();
    if (now === undefined || before === undefined) return;
    const found = await diffReports(db, now.id, before.id);
    const compared = {
      withId: before.id,
      isPrevious: true,
      at: 'end' as const,
      reportState: now.state,
      withState: before.state,
    };
    await reportTransaction(db, now.id, async (change) => {
      change.markUnchanged();
      await saveDiff(change, compared, found);
    });
  } finally {
    await close();
  }
}

/** Builds the indexes of a table after it has been filled: updating them for ten million rows takes several times as long. */
async function withoutIndexes(client: pg.Client, table: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = $1 AND schemaname = current_schema() AND indexname <> $1 || '_pkey'`,
    [table],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await fill();
  for (const { definition } of rows) await client.query(definition);
}

/** Returns occurrences of an HTML issue, packed, as a literal. */
function occurrences(count: number): string {
  const found = Array.from({ length: count }, (_, number) => ({
    extract: `<div class="card card-body"><a class="btn btn-primary" href="/item/${number}"><p>Some text`,
    coordinates: {
      first_line: number,
      last_line: number,
      first_column: 9,
      last_column: 44,
      hilite_start: 10,
      hilite_length: 36,
    },
  }));
  return packed(found);
}

/** The same for an accessibility issue. */
function elements(count: number): string {
  const found = Array.from({ length: count }, (_, number) => ({
    html: `<a class="btn btn-primary" href="/item/${number}">`,
    target: [`main > .card:nth-child(${number + 1}) > a`],
    failure_summary: 'Fix any of the following:\n  Element does not have text that is visible to screen readers',
    place: { line: number + 1, column: 9, made_by_script: false, box: [16, 24 * number, 120, 24] },
  }));
  return packed(found);
}

function packed(found: readonly Json[]): string {
  return `'\\x${packOccurrences(found).toString('hex')}'::bytea`;
}

function reports(scale: number, largest: number): string {
  const sizes = SIZES.map(([number, size]) => `(${number}, ${Math.max(5, Math.round(size * scale))})`).join(', ');
  return `
    INSERT INTO accounts (email) SELECT 'owner-' || n || '@example.org' FROM generate_series(1, 50) n;
    CREATE TEMP TABLE seed_accounts AS SELECT id, row_number() OVER () AS n FROM accounts WHERE email LIKE 'owner-%';
    CREATE TEMP TABLE seed_reports AS
      SELECT *, CASE n WHEN 2 THEN 1 ELSE n % ${SITES} END AS site
      FROM (
        SELECT row_number() OVER (ORDER BY size DESC) AS n, uuidv7() AS id, size, greatest(40, size / 5) AS html_kinds
        FROM (VALUES ${sizes}) AS sizes(number, size), generate_series(1, number)) AS numbered WHERE n <= ${largest};
    INSERT INTO reports (id, site_id, account_id, payer_id, starting_url, domain, max_pages, rate_limit, deep_crawl, prefer_canonical_urls,
      status, num_pages, site_url, crawl_pending, inserted_at, last_checked_at, finished_at, tags, shared)
    SELECT r.id, md5(a.n || ' ' || r.site)::uuid, a.id, a.id,
      'https://' || (ARRAY['www', 'shop', 'blog', 'intranet'])[1 + r.site % 4] || '.customer-' || r.site || '.example/',
      'customer-' || r.site || '.example', 10000, 1, true, true,
      CASE WHEN r.n % 50 = 3 THEN 'checking' WHEN r.n % 40 = 7 THEN 'failed' ELSE 'finished' END, r.size,
      'https://customer-' || r.site || '.example/', r.n % 50 = 3, now() - r.n * interval '98 minutes',
      CASE WHEN r.n % 60 = 11 THEN NULL ELSE now() - r.n * interval '97 minutes' END, now() - r.n * interval '97 minutes',
      CASE r.n % 5 WHEN 0 THEN '{}'::text[] WHEN 1 THEN '{Production,weekly}' WHEN 2 THEN '{staging}'
        ELSE ARRAY['production', 'team ' || r.n % 12] END, r.n % 9 = 0
    FROM seed_reports r
      JOIN seed_accounts a ON a.n = CASE WHEN r.n <= 101 OR r.n % 10 < 8 THEN 1 ELSE 2 + r.n % 49 END;
    INSERT INTO sites (id, account_id, definition)
    SELECT DISTINCT ON (site_id) site_id, account_id,
      jsonb_build_object('starting_url', starting_url, 'tags', tags, 'max_pages', max_pages, 'checks', '{html,a11y}'::text[])
    FROM reports ORDER BY site_id, inserted_at DESC, id DESC;`;
}

function pages(): string {
  return `
    CREATE TEMP TABLE seed_pages AS
      SELECT row_number() OVER (ORDER BY random()) AS id, r.id AS report_id, r.n AS report, r.site, r.html_kinds, place AS n,
        CASE WHEN (place * 31 + r.n) % 97 = 5 THEN 'failed' WHEN (place * 17 + r.n) % 211 = 5 THEN 'pending'
          ELSE 'checked' END AS html,
        CASE WHEN (place * 31 + r.n) % 97 = 5 THEN 'failed' WHEN (place * 13 + r.n) % 101 = 5 THEN 'pending'
          ELSE 'checked' END AS a11y
      FROM seed_reports r, generate_series(1, r.size) place;
    -- Many reports are crawled at a time, so the pages of one are spread over the table.
    INSERT INTO web_pages (id, report_id, url, status, linked_from, http_status, content_type, title, last_checked_at,
      fetched_at, document_hash)
    OVERRIDING SYSTEM VALUE
    SELECT id, report_id, 'https://customer-' || site || '.example/' ||
        (ARRAY['products', 'blog', 'support/questions', 'archive'])[1 + n % 4] || '/' || n % 40 || '/' ||
        md5(n::text) || CASE n % 3 WHEN 0 THEN '?page=' || n % 7 ELSE '' END,
      CASE WHEN 'failed' IN (html, a11y) THEN 'failed' WHEN 'checked' NOT IN (html, a11y) THEN 'pending'
        WHEN 'pending' IN (html, a11y) THEN 'checking' ELSE 'checked' END,
      'https://customer-' || site || '.example/', CASE WHEN html = 'failed' THEN 404 ELSE 200 END,
      'text/html; charset=utf-8', 'Page ' || n || ' of a site', now(), now(),
      CASE WHEN html = 'checked' THEN (SELECT hash FROM documents ORDER BY size DESC LIMIT 1 OFFSET (n > 1)::integer) END
    FROM seed_pages ORDER BY id;
    CREATE UNIQUE INDEX ON seed_pages (id);
    ANALYZE seed_pages;`;
}

function kinds(): string {
  return `
    CREATE TEMP TABLE seed_kinds AS
      SELECT row_number() OVER () AS id, * FROM (
        SELECT r.id AS report_id, 'html' AS kind, place AS n, CASE WHEN place % 3 = 0 THEN 'warning' ELSE 'error' END AS type,
          NULL AS impact, 0 AS impact_order
        FROM seed_reports r,
          generate_series(0, r.html_kinds - 1 + CASE r.n WHEN 1 THEN ${WORST_PAGE_ISSUES + 1} ELSE 0 END) place
        UNION ALL
        SELECT r.id, 'a11y', place, CASE WHEN place % 3 = 0 THEN 'warning' ELSE 'error' END,
          (ARRAY['minor', 'moderate', 'serious', 'critical'])[1 + place % 4], 1 + place % 4
        FROM seed_reports r, generate_series(0, ${A11Y_RULES - 1}) place) AS all_kinds;
    CREATE UNIQUE INDEX ON seed_kinds (report_id, kind, n);
    ANALYZE seed_kinds;`;
}

/**
 * The first half of a page's issues occurs on every page of the report; of the others, some are common and most are rare. They
 * are the same on a page in all reports of a site, except that in the latest one, each hundredth page has one more occurrence of
 * each issue type.
 */
function issues(): string {
  const perKind = [
    ['html', HTML_ISSUES_A_PAGE, 'p.html_kinds', occurrences],
    ['a11y', A11Y_ISSUES_A_PAGE, String(A11Y_RULES), elements],
  ] as const;
  const random = (seed: number) => `((hashint4(n * 16 + j + ${seed}) & 2147483647) / 2147483648::double precision)`;
  const prints = Array.from({ length: 5 }, (_, place) => `md5(k.kind || k.n || ' ' || p.page || ' ${place}')`);
  const worst = `(SELECT * FROM seed_pages WHERE report = 1 AND html = 'checked' ORDER BY n LIMIT 1) p
    JOIN seed_kinds k ON k.report_id = p.report_id AND k.kind = 'html'`;
  const traces = (howMany: string) => `decode(repeat('00', 8 * ${howMany}), 'hex')`;
  const crowd = (text: string) =>
    `(SELECT string_agg(decode(${text}, 'hex'), '' ORDER BY place) FROM generate_series(1, ${CROWDED_OCCURRENCES}) place)`;
  return perKind
    .map(
      ([kind, perPage, kindCount, found]) => `
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, how_many, occurrences, clusters, fingerprints, traces)
    SELECT k.id, p.report_id, p.id, '${kind}', j, how_many, (ARRAY[${[1, 2, 3, 4, 5].map(found).join()}])[how_many],
      decode(repeat(left(md5((p.id % ${CLUSTERS})::text), 16), how_many), 'hex'),
      decode(left(${prints.join(' || ')}, 32 * how_many), 'hex'), ${traces('how_many')}
    FROM (SELECT id, report_id, j, n AS page, 1 + (n + j) % 4 + (report = 1 AND n % 100 = 7)::integer AS how_many,
        j + CASE WHEN j < ${Math.floor(perPage / 2)} THEN 0
          ELSE ${perPage} * floor((${kindCount} / ${perPage} - 1) * ${random(0)} * ${random(1_000_000)}) END AS n
      FROM seed_pages p, generate_series(0, ${perPage - 1}) j WHERE p.${kind} = 'checked' OFFSET 0) AS p
    JOIN seed_kinds k ON k.report_id = p.report_id AND k.kind = '${kind}' AND k.n = p.n ORDER BY p.id;`,
    )
    .concat(`
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, how_many, occurrences, clusters, fingerprints, traces)
    SELECT k.id, p.report_id, p.id, 'html', k.n, 2, ${occurrences(2)}, decode(md5(k.n::text), 'hex'),
      decode(md5(k.n || ' 0') || md5(k.n || ' 1'), 'hex'), ${traces('2')}
    FROM ${worst} AND k.n >= p.html_kinds AND k.n < p.html_kinds + ${WORST_PAGE_ISSUES};
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, how_many, occurrences, clusters, fingerprints, traces)
    SELECT k.id, p.report_id, p.id, 'html', k.n, ${CROWDED_OCCURRENCES}, ${occurrences(CROWDED_OCCURRENCES)},
      ${crowd(`left(md5((place % ${CLUSTERS})::text), 16)`)}, ${crowd('md5(place::text)')}, ${traces(String(CROWDED_OCCURRENCES))}
    FROM ${worst} AND k.n = p.html_kinds + ${WORST_PAGE_ISSUES};`)
    .join('\n');
}

function counts(): string {
  const sums = ISSUE_SUMS.join(', ');
  const summed = (of: (name: string) => string) =>
    sums
      .split(', ')
      .map((name) => `coalesce(${of(name)}, 0)`)
      .join(', ');
  const condition = (name: string) => {
    if (name === 'errors' || name === 'warnings') return `k.type = '${name.slice(0, -1)}'`;
    const [impact, errors] = name.split('_');
    return `k.impact = '${impact}'${errors === undefined ? '' : " AND k.type = 'error'"}`;
  };
  return `
    INSERT INTO common_issues (id, report_id, kind, key, issue_type, message, rule_id, help_url, impact, impact_order, tags,
      how_many, num_web_pages, muted_how_many, muted_num_web_pages, fingerprint, change, changed_occurrences, how_many_before, first_seen_at)
    OVERRIDING SYSTEM VALUE
    SELECT k.id, k.report_id, k.kind, decode(md5(k.id::text), 'hex'), k.type,
      CASE k.kind WHEN 'html' THEN (ARRAY['Duplicate ID “', 'Bad value “', 'Attribute “', 'Element “'])[1 + k.n % 4] ||
        'item-' || md5(k.n::text) || (ARRAY['”.', '” for attribute “href” on element “a”: Illegal character in path segment.',
        '” not allowed on element “div” at this point.', '” not allowed as child of element “span” in this context.'])[1 + k.n % 4]
        ELSE 'Elements must meet the requirement number ' || k.n || ' of the rules' END,
      CASE k.kind WHEN 'a11y' THEN 'rule-' || k.n END, CASE k.kind WHEN 'a11y' THEN 'https://rules.example/' || k.n END,
      k.impact, k.impact_order,
      CASE k.kind WHEN 'html' THEN (ARRAY['{duplicate id,id}', '{attribute,bad value,element,link,url}',
        '{attribute,disallowed attribute,element}', '{element,nesting}'])[1 + k.n % 4]::text[]
        ELSE ARRAY['cat.' || (ARRAY['color', 'aria', 'forms'])[1 + k.n % 3], 'wcag2a', 'wcag' || k.n, 'EN-301-549'] END,
      s.how_many, s.num_web_pages, s.muted_how_many, s.muted_num_web_pages, decode(md5(k.kind || ' ' || k.n), 'hex'),
      x.change, jsonb_build_object(x.change, s.how_many), CASE x.change WHEN 'persisting' THEN s.how_many ELSE 0 END, now() - k.n % 100 * interval '1 day'
    FROM seed_kinds k JOIN (SELECT common_issue_id, coalesce(sum(how_many) FILTER (WHERE NOT muted), 0) AS how_many,
        count(DISTINCT web_page_id) FILTER (WHERE NOT muted) AS num_web_pages,
        coalesce(sum(how_many) FILTER (WHERE muted), 0) AS muted_how_many,
        count(DISTINCT web_page_id) FILTER (WHERE muted) AS muted_num_web_pages
      FROM issues GROUP BY 1) s ON s.common_issue_id = k.id
      CROSS JOIN LATERAL (SELECT CASE k.n % 20 WHEN 3 THEN 'new' WHEN 7 THEN 'regressed' ELSE 'persisting' END AS change) x
    ORDER BY random();
    INSERT INTO checks (web_page_id, kind, report_id, payer_id, status, error, turn, ${sums})
    SELECT p.id, c.kind, p.report_id, r.payer_id, c.status, CASE c.status WHEN 'failed' THEN '${NOT_FOUND}'::jsonb END, p.n,
      ${summed((name) => `s.${name}`)}
    FROM seed_pages p JOIN reports r ON r.id = p.report_id CROSS JOIN LATERAL (VALUES ('html', p.html), ('a11y', p.a11y)) AS c(kind, status)
    LEFT JOIN (SELECT i.web_page_id, i.kind,
        ${sums
          .split(', ')
          .map((name) => `sum(i.how_many) FILTER (WHERE ${condition(name)}) AS ${name}`)
          .join(', ')}
      FROM issues i JOIN seed_kinds k ON k.id = i.common_issue_id WHERE NOT i.muted GROUP BY 1, 2) s
      ON s.web_page_id = p.id AND s.kind = c.kind
    ORDER BY p.id;
    INSERT INTO report_checks (report_id, kind, pending, checked, failed, with_errors, with_severe, ${sums})
    SELECT report_id, kind, count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'checked'),
      count(*) FILTER (WHERE status = 'failed'), count(*) FILTER (WHERE state = 'with_errors'),
      count(*) FILTER (WHERE status = 'checked' AND critical_errors + serious_errors > 0),
      ${summed((name) => `sum(${name})`)}
    FROM checks GROUP BY 1, 2;
    UPDATE reports r SET checked_pages = s.checked, passed_pages = s.passed
    FROM (SELECT report_id, count(*) AS checked, count(*) FILTER (WHERE errors = 0) AS passed
      FROM (SELECT report_id, sum(errors) AS errors FROM checks GROUP BY report_id, web_page_id
        HAVING bool_and(status = 'checked')) pages GROUP BY 1) s
    WHERE r.id = s.report_id;
    INSERT INTO report_checks_at_end (report_id, kind, checked, failed, with_errors, with_severe, ${sums})
    SELECT report_id, kind, checked, failed, with_errors, with_severe, ${sums} FROM report_checks;
    UPDATE reports SET first_finished_at = finished_at, checked_pages_at_end = checked_pages,
      passed_pages_at_end = passed_pages;
    SELECT setval(pg_get_serial_sequence('web_pages', 'id'), (SELECT max(id) FROM web_pages)),
      setval(pg_get_serial_sequence('common_issues', 'id'), (SELECT max(id) FROM common_issues));`;
}

/** A broken link on every page of the largest report. */
function links(): string {
  return `
    WITH common AS (
      INSERT INTO common_issues (report_id, kind, key, fingerprint, issue_type, message, rule_id, tags, how_many, num_web_pages)
      SELECT report_id, 'link', sha256('link'), substr(sha256('link'), 1, 16), 'error', 'Link returns 404: ${GONE}', 'http_404', '{client error}', count(*), count(*)
      FROM seed_pages WHERE report = 1 AND html = 'checked' GROUP BY report_id RETURNING id, report_id
    )
    INSERT INTO issues (common_issue_id, report_id, web_page_id, kind, position, how_many, occurrences, clusters, fingerprints, traces)
    SELECT c.id, c.report_id, p.id, 'link', 0, 1, ${packed([{ url: GONE, final_url: GONE }])}, '\\x8f14e45fceea167a',
      substr(sha256('link'), 1, 16), '\\x0000000000000000'
    FROM common c JOIN seed_pages p ON p.report_id = c.report_id AND p.html = 'checked';
    INSERT INTO checks (web_page_id, kind, report_id, payer_id, status, turn, errors)
    SELECT p.id, 'link', p.report_id, r.payer_id, 'checked', p.n, 1 FROM seed_pages p JOIN reports r ON r.id = p.report_id
    WHERE p.report = 1 AND p.html = 'checked';
    INSERT INTO report_checks (report_id, kind, checked, with_errors, errors)
    SELECT report_id, 'link', count(*), count(*), count(*) FROM seed_pages WHERE report = 1 AND html = 'checked' GROUP BY 1;`;
}

/**
 * The largest report discovered nine times as many URLs as it has pages, the others a quarter more: pages, URLs of other sites,
 * and URLs with other outcomes. That is two million, and more in one report than the limit of text allows.
 */
function discoveredUrls(): string {
  return `
    INSERT INTO discovered_urls (report_id, position, url, linked_from, depth, outcome)
    SELECT p.report_id, row_number() OVER (PARTITION BY p.report_id ORDER BY p.n, place) - 1,
      CASE place WHEN 0 THEN w.url WHEN 1 THEN 'https://elsewhere-' || p.n || '.example/' || md5(p.n::text)
        ELSE w.url || '&more=' || place END, w.linked_from, 1,
      CASE place WHEN 0 THEN CASE WHEN w.http_status = 200 THEN 'page' ELSE 'failed' END WHEN 1 THEN 'off_site'
        ELSE (ARRAY['waiting', 'excluded', 'redirected', 'duplicate', 'not_html'])[1 + (p.n + place) % 5] END
    FROM seed_pages p JOIN web_pages w ON w.id = p.id,
      generate_series(0, CASE p.report WHEN 1 THEN 8 ELSE (p.n % 4 = 0)::integer END) place;
    INSERT INTO discovered_url_counts SELECT report_id, outcome, count(*) FROM discovered_urls GROUP BY 1, 2;`;
}

/** Up to 49 excluded URLs per report, ten thousand for the largest. */
function excludedUrls(): string {
  return `
    INSERT INTO excluded_urls (report_id, url, reason)
    SELECT r.id, 'https://customer-' || r.site || '.example/private/' || place,
      CASE place % 3 WHEN 0 THEN 'exclusion' ELSE 'deleted' END
    FROM seed_reports r, generate_series(1, CASE r.n WHEN 1 THEN 10000 ELSE r.n % 50 END) place;`;
}

/**
 * A hundred guests, half of whom own the reports that are not the account's, a thousand schedules, one of which created a fifth
 * of the reports, fifty notification channels with a hundred thousand deliveries, a thousand tokens, and a ledger of several
 * years.
 */
function accountData(): string {
  return `
    INSERT INTO guest_accounts (id, host_id, invitation_hash, max_usage, guest_id, accepted_at)
    SELECT 'G' || upper(substr(md5(place::text), 1, 9)), host.id, sha256(place::text::bytea), 1000, guest.id,
      CASE WHEN guest.id IS NULL THEN NULL ELSE now() END
    FROM generate_series(2, 100) place JOIN seed_accounts host ON host.n = 1
      LEFT JOIN seed_accounts guest ON guest.n = place;
    UPDATE reports r SET guest_account_id = g.id, payer_id = g.host_id FROM guest_accounts g WHERE g.guest_id = r.account_id;
    INSERT INTO schedules (account_id, site_id, definition, active, hook_hash)
    SELECT a.id, md5(a.n || ' ' || place % ${SITES})::uuid, jsonb_build_object('starting_url', 'https://customer-' || place || '.example/',
      'tags', to_jsonb(CASE place % 3 WHEN 0 THEN '{}'::text[] ELSE ARRAY['Production', 'team ' || place % 12] END)), true, sha256(place::text::bytea)
    FROM seed_accounts a, generate_series(1, 1000) place WHERE a.n = 1;
    UPDATE reports SET schedule_id = (SELECT id FROM schedules ORDER BY id LIMIT 1) WHERE id IN (SELECT id FROM seed_reports WHERE n % 5 = 1);
    INSERT INTO notification_channels (account_id, kind, name, target, events, worse_when, schedule_ids, active)
    SELECT a.id, 'slack', 'channel ' || place, 'hooks.example', '{report.failed}', '{}', '{}', true
    FROM seed_accounts a, generate_series(1, 50) place;
    INSERT INTO notification_deliveries (channel_id, event, key, details, status)
    SELECT c.id, 'report.failed', place::text, '{}', CASE place % 100 WHEN 0 THEN 'failed' ELSE 'delivered' END
    FROM notification_channels c JOIN seed_accounts a ON a.id = c.account_id AND a.n = 1, generate_series(1, 2000) place;
    INSERT INTO api_tokens (account_id, name, scope, hash)
    SELECT a.id, 'token ' || place, 'read', decode(md5(place::text), 'hex')
    FROM seed_accounts a, generate_series(1, 1000) place WHERE a.n = 1;
    INSERT INTO credit_entries (account_id, amount, reason, balance)
    SELECT a.id, CASE WHEN place = 1 THEN 1000000 ELSE -10 END, CASE WHEN place = 1 THEN 'granted' ELSE 'checks' END,
      1000010 - 10 * place
    FROM seed_accounts a, generate_series(1, 50000) place WHERE a.n = 1;
    UPDATE accounts SET credits = 500010 WHERE id = (SELECT id FROM seed_accounts WHERE n = 1);`;
}

/**
 * A thousand mutings. One matches an issue type on every page of the largest report, and 200 match another issue type on one page
 * each; the others have the message of the first, on other sites.
 */
function mutings(): string {
  return `
    CREATE TEMP TABLE seed_muted AS
      SELECT row_number() OVER (ORDER BY k.n DESC) AS place, k.report_id, i.common_issue_id, i.id AS issue_id,
        CASE k.n WHEN 2 THEN 'https://customer' ELSE w.url END AS url, 'item-' || md5(k.n::text) AS message
      FROM (VALUES (2, 1), (1, 200)) AS wanted (n, pages)
      JOIN seed_kinds k ON k.report_id = (SELECT id FROM seed_reports WHERE n = 1) AND k.kind = 'html' AND k.n = wanted.n
      CROSS JOIN LATERAL (SELECT * FROM issues WHERE common_issue_id = k.id ORDER BY id LIMIT wanted.pages) i
      JOIN web_pages w ON w.id = i.web_page_id;
    INSERT INTO mutings (account_id, url_match, message, walk_pending)
    SELECT a.id, coalesce(m.url, 'https://elsewhere-' || place || '.example/'), coalesce(m.message, 'item-' || md5('2')), false
    FROM seed_accounts a, generate_series(1, 1000) place LEFT JOIN seed_muted m USING (place) WHERE a.n = 1;
    CREATE TEMP TABLE seed_silencing AS
      SELECT s.*, m.id FROM seed_muted s JOIN mutings m ON m.url_match = s.url AND m.message = s.message;
    ANALYZE seed_silencing;
    UPDATE issues i SET muted = true, mutings = ARRAY[s.id] FROM seed_silencing s
    WHERE s.place = 1 AND i.common_issue_id = s.common_issue_id;
    UPDATE issues i SET muted = true, mutings = ARRAY[s.id] FROM seed_silencing s WHERE s.place > 1 AND i.id = s.issue_id;
    -- The trigger of the service adds up the totals.
    SET session_replication_role = origin;
    INSERT INTO report_mutings (report_id, muting_id, how_many)
    SELECT s.report_id, s.id, sum(i.how_many) FROM seed_silencing s JOIN issues i ON i.mutings = ARRAY[s.id]
    GROUP BY 1, 2;
    SET session_replication_role = replica;`;
}

async function describeSeeded(client: pg.Client): Promise<SeededLists> {
  const greatest = async (text: string, ...values: readonly string[]): Promise<string> => {
    const { rows } = await client.query<{ id: string }>(`${text} LIMIT 1`, [...values]);
    return rows[0]?.id ?? '';
  };
  const reportId = await greatest('SELECT id FROM reports ORDER BY num_pages DESC, inserted_at DESC');
  const common = 'SELECT id FROM common_issues WHERE report_id = $1 AND kind = $2 ORDER BY num_web_pages DESC';
  return {
    accountId: await greatest('SELECT account_id AS id FROM reports WHERE id = $1', reportId),
    values: {
      report_id: reportId,
      web_page_id: await greatest(
        'SELECT web_page_id AS id FROM issues WHERE report_id = $1 GROUP BY 1 ORDER BY count(*) DESC',
        reportId,
      ),
      common_html_issue_id: await greatest(common, reportId, 'html'),
      crowded_issue_id: await greatest('SELECT common_issue_id AS id FROM issues ORDER BY how_many DESC'),
      common_a11y_issue_id: await greatest(common, reportId, 'a11y'),
      common_link_issue_id: await greatest(common, reportId, 'link'),
      site_id: await greatest('SELECT site_id AS id FROM reports WHERE id = $1', reportId),
      muting_id: await greatest('SELECT muting_id AS id FROM report_mutings ORDER BY how_many DESC'),
      schedule_id: await greatest('SELECT schedule_id AS id FROM reports WHERE schedule_id IS NOT NULL'),
      guest_account_id: await greatest('SELECT id FROM guest_accounts WHERE guest_id IS NOT NULL'),
      notification_channel_id: await greatest('SELECT channel_id AS id FROM notification_deliveries'),
    },
  };
}
