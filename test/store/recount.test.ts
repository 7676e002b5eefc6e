import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { createSecretBox } from '../../src/platform/secret-box.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { applyNextBatch, createMuting } from '../../src/reports/apply-mutings.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { packIssue } from '../../src/store/issues/packed-issues.ts';
import { living } from '../../src/store/living-workers.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { type Area, type Finding, recount } from '../../src/store/recount/recount.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { foundIssue, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';

const store = await openTestStore();
const box = createSecretBox(randomBytes(32));
/** A connection without triggers and foreign keys. */
const breaking = new pg.Client({ connectionString: store.connectionString });
await breaking.connect();
after(async () => {
  await breaking.end();
  await store.close();
});

async function findings(reportId: string | null = null): Promise<Finding[]> {
  const found: Finding[] = [];
  await recount(store.db, {
    ...{ reportId, box, living, scheduleTimeMs: 0, signal: new AbortController().signal, lookAgainMs: 0 },
    onFinding: (finding) => found.push(finding),
  });
  return found;
}

/** Results that play a check of every waiting page. */
async function checkAll(seed: number): Promise<void> {
  for (const kind of ['html', 'a11y'] as const) {
    const checks = await claimChecks(store.db, kind, WORKER, 100);
    for (const [at, { webPageId, claimId, reportId }] of checks.entries()) {
      // Without errors, insights have no fix plan, for which occurrences need their coordinates.
      const found = fc.sample(foundIssue, { numRuns: 3, seed: seed + at });
      const issues = found.map((issue) => packIssue({ ...issue, type: 'warning' }));
      const raw = { raw: packIssue(issues[0] as never).occurrences, omitted: 0 };
      const outcome = { issues, ...(kind === 'html' ? { raw } : {}) };
      await saveCheckResults(store.db, reportId, kind, [{ webPageId, claimId, outcome }]);
    }
  }
  while (await computeNextInsights(store.db));
}

/** A change that no part of the service makes, with `$1` for the report, and what `doctor --deep` must find. */
type Corruption = readonly [area: Area, found: RegExp, change: string];

const PAGE = '(SELECT id FROM web_pages WHERE report_id = $1 ORDER BY id LIMIT 1)';
const LAST_PAGE = '(SELECT id FROM web_pages WHERE report_id = $1 ORDER BY id DESC LIMIT 1)';
const ISSUE = '(SELECT min(id) FROM issues WHERE report_id = $1)';
const NEXT_ISSUE = '(SELECT max(id) FROM issues WHERE report_id = $1)';
const ofReport = (table: string, set: string): string =>
  `UPDATE ${table} SET ${set} WHERE report_id = $1 AND kind = 'html'`;
const OTHER = "decode('00', 'hex')";

const CORRUPTIONS: readonly Corruption[] = [
  [
    'sums',
    /^check of page \d+ html$/,
    `UPDATE checks SET errors = errors + 1 WHERE web_page_id = ${PAGE} AND kind = 'html'`,
  ],
  ['sums', /^report html$/, ofReport('report_checks', 'checked = checked + 1')],
  ['sums', /^common issue \d+$/, ofReport('common_issues', 'how_many = how_many + 1')],
  ['sums', /^num_pages$/, 'UPDATE reports SET num_pages = num_pages + 1 WHERE id = $1'],
  ['sums', /^checked and passed pages$/, 'UPDATE reports SET passed_pages = passed_pages + 1 WHERE id = $1'],
  ['sums', /^report at its end html$/, ofReport('report_checks_at_end', 'errors = errors + 1')],
  ['sums', /^pages at the end$/, 'UPDATE reports SET checked_pages_at_end = 9 WHERE id = $1'],
  ['sums', /^outcome page$/, "INSERT INTO discovered_url_counts VALUES ($1, 'page', 7)"],
  ['sums', /^muting \d+$/, 'UPDATE report_mutings SET how_many = how_many + 1 WHERE report_id = $1'],
  ['sums', /^total of muting \d+$/, 'UPDATE muting_totals SET num_reports = 9 WHERE $1 <> gen_random_uuid()'],
  ['sums', /^comparison \d+ with /, 'UPDATE diffs SET new = new + 1 WHERE report_id = $1'],
  [
    'sums',
    /^credits of account /,
    'UPDATE accounts SET credits = 5 WHERE id = (SELECT account_id FROM reports WHERE id = $1)',
  ],
  [
    'sums',
    /^balance of entry \d+ of account /,
    "INSERT INTO credit_entries (account_id, amount, reason, balance) SELECT account_id, 1, 'granted', 2 FROM reports WHERE id = $1",
  ],
  ['sums', /^identity of issue \d+$/, `UPDATE issues SET traces = '' WHERE id = ${ISSUE}`],
  [
    'states',
    /^the status checking although all its work has ended$/,
    "UPDATE reports SET status = 'checking' WHERE id = $1",
  ],
  ['states', /^status pending of page \d+ /, `UPDATE web_pages SET status = 'pending' WHERE id = ${PAGE}`],
  ['states', /^page \d+ waits to be fetched again, /, `UPDATE web_pages SET refetch_pending = true WHERE id = ${PAGE}`],
  [
    'states',
    /^check of page \d+ a11y has ended, and is claimed$/,
    `UPDATE checks SET claimed_by = 1 WHERE web_page_id = ${PAGE} AND kind = 'a11y'`,
  ],
  ['states', /^(?:un)?muted issue \d+$/, `UPDATE issues SET muted = NOT muted WHERE id = ${NEXT_ISSUE}`],
  ['orphans', /^issue \d+ has the decision 999, /, `UPDATE issues SET decision_id = 999 WHERE id = ${ISSUE}`],
  ['orphans', /^issue \d+ has the muting 999, /, `UPDATE issues SET mutings = '{999}' WHERE id = ${ISSUE}`],
  ['orphans', /^\d+ rows of checks: no web_pages for web_page_id$/, `DELETE FROM web_pages WHERE id = ${LAST_PAGE}`],
  [
    'orphans',
    /^document \w+ of no page$/,
    "INSERT INTO documents (hash, body, size) SELECT sha256(uuid_send($1)), '', 0",
  ],
  [
    'orphans',
    /^site [\w-]+ without reports, schedules and owner$/,
    `INSERT INTO sites (account_id, definition) SELECT account_id, '{"starting_url": "http://gone.test/"}' FROM reports WHERE id = $1`,
  ],
  [
    'contents',
    /^document \w+: /,
    `UPDATE documents SET body = ${OTHER} WHERE hash = (SELECT document_hash FROM web_pages WHERE id = ${PAGE})`,
  ],
  ['contents', /^issue \d+: /, `UPDATE issues SET occurrences = ${OTHER} WHERE id = ${ISSUE}`],
  ['contents', /^raw check \d+: /, `UPDATE raw_checks SET raw = ${OTHER} WHERE web_page_id = ${PAGE}`],
  [
    'contents',
    /^screenshot \w+: is not a WebP image$/,
    `UPDATE screenshot_images SET image = ${OTHER} WHERE $1 <> gen_random_uuid()`,
  ],
  [
    'contents',
    /^1 secrets in reports\.site_access cannot be decrypted: /,
    `UPDATE reports SET site_access = decode('${box.keyId.toString('hex')}00', 'hex') WHERE id = $1`,
  ],
  [
    'stuck',
    /^muting \d+ is not applied$/,
    "UPDATE mutings SET walk_pending = true, walked_at = now() - interval '1 hour' WHERE $1 <> gen_random_uuid()",
  ],
  [
    'stuck',
    /^schedule [\w-]+ is late$/,
    `INSERT INTO schedules (account_id, site_id, definition, periodicity, active, next_run_at, hook_hash)
    SELECT account_id, site_id, '{}', '{}', true, now() - interval '1 hour', '' FROM reports WHERE id = $1`,
  ],
];

test('a recount finds nothing in a healthy database, and every corruption', async () => {
  await reportWithPages(store);
  await checkAll(1);
  const { reportId, pageIds } = await reportWithPages(store);
  await checkAll(2);
  await createMuting(store.db, {
    account_id: store.accountId,
    url_match: '',
    message: 'One',
    comment: '',
    expires_at: null,
  });
  while (await applyNextBatch(store.db));
  while (await computeNextInsights(store.db));
  await breaking.query(`INSERT INTO screenshot_images (hash, image, width, height)
    SELECT sha256(image), image, 1, 1 FROM (SELECT convert_to('RIFFxxxxWEBP', 'UTF8') AS image) i`);
  await breaking.query(`INSERT INTO screenshots (web_page_id, kind, image_hash, scale, clipped, taken_at)
    SELECT ${pageIds[0]}, 'a11y', hash, 1, false, now() FROM screenshot_images`);
  // A report that is being checked.
  const { reportId: running } = await reportWithPages(store);
  const claimed = await claimChecks(store.db, 'a11y', WORKER, 2);
  assert.equal(claimed.length, 2);
  assert.deepEqual(await findings(), []);

  // Processes that live, and do nothing.
  await breaking.query('SELECT pg_advisory_lock($1, 1)', [ADVISORY_LOCKS.worker]);
  await breaking.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.sweeper]);
  await breaking.query('SET session_replication_role = replica');
  for (const [, , change] of CORRUPTIONS) await breaking.query(change, [reportId]);
  const found = await findings();
  const missed = CORRUPTIONS.filter(
    ([area, what]) => !found.some((each) => each.area === area && what.test(each.what)),
  );
  assert.deepEqual(missed, [], JSON.stringify(found, null, 1));
  const ofRunning = (await findings(running)).map(({ area, what }) => [area, what.replace(/\d+/, 'N')]);
  assert.deepEqual(ofRunning, Array(2).fill(['stuck', 'check of page N a11y is claimed by a dead process']));
  const ofBroken = await findings(reportId);
  assert.deepEqual(new Set(ofBroken.map((each) => each.report_id)), new Set([reportId, null]));
});
