import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../../src/store/migrate.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { databaseBefore, type EarlierDatabase } from '../helpers/earlier-database.ts';

/** Databases of versions that did not yet record when reports ended in all cases, or what their owners acknowledged. */

let open: EarlierDatabase;
let accountId: string;

before(async () => {
  open = await databaseBefore('0014_ends_of_reports.sql');
  const { rows } = await sql<{ id: string }>`
    INSERT INTO accounts (email) VALUES ('owner@example.com') RETURNING id`.execute(open.db);
  accountId = rows[0]?.id ?? '';
});
after(() => open?.drop());

async function seedSite(url: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO sites (account_id, definition) VALUES (${accountId}, ${JSON.stringify({ starting_url: url })}) RETURNING id`.execute(
    open.db,
  );
  return rows[0]?.id ?? '';
}

/** Adds a report that has ended before, with a page that failed. */
async function seedReport(siteId: string, status: string, isChanged = false): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO reports (account_id, payer_id, site_id, starting_url, domain, max_pages, rate_limit, deep_crawl, prefer_canonical_urls,
      status, finished_at, first_finished_at, changed_since_end, crawl_pending, num_pages, num_pages_at_end, checked_pages_at_end,
      passed_pages_at_end)
    VALUES (${accountId}, ${accountId}, ${siteId}, 'http://x.test/', 'x.test', 10, 1, true, true,
      ${status}, '2026-03-01', '2026-03-01', ${isChanged}, false, 1, 1, 1, 0)
    RETURNING id`.execute(open.db);
  const id = rows[0]?.id ?? '';
  await sql`INSERT INTO report_checks (report_id, kind, checked, errors) VALUES (${id}, 'html', 1, 7)`.execute(open.db);
  return id;
}

test('a report in the middle of a re-check ends when the re-check does; others keep their end', async () => {
  const [once, twice] = [await seedSite('http://once.test/'), await seedSite('http://twice.test/')];
  const finished = await seedReport(once, 'finished');
  // Its re-check began before replaced results were kept: what it found at its end is not known.
  const unknown = await seedReport(twice, 'checking');
  const known = await seedReport(twice, 'checking', true);

  await migrate(open.db);

  const endOf = async (id: string) => {
    const { rows } = await sql<{ end: Date | null; pages: number | null; errors: number | null }>`
      SELECT first_finished_at AS end, checked_pages_at_end AS pages,
        (SELECT errors::integer FROM report_checks_at_end WHERE report_id = reports.id) AS errors
      FROM reports WHERE id = ${id}`.execute(open.db);
    return rows[0];
  };
  const march = new Date('2026-03-01');
  for (const id of [finished, known]) assert.deepEqual((await endOf(id))?.end?.getDate(), march.getDate());
  assert.equal((await endOf(unknown))?.end, null);
  await reportTransaction(open.db, unknown, async () => undefined);
  const end = await endOf(unknown);
  assert.ok(end?.end !== undefined && end.end !== null && end.end > march);
  assert.deepEqual([end.pages, end.errors], [0, 7]);

  // A site with a second report needed no attention for the errors of its first one, and still needs none.
  const acknowledged = async (id: string) => {
    const site = open.db.selectFrom('sites').select('acknowledged_at').where('id', '=', id);
    return (await site.executeTakeFirstOrThrow()).acknowledged_at !== null;
  };
  assert.deepEqual([await acknowledged(once), await acknowledged(twice)], [false, true]);
});
