import { sql } from 'kysely';
import { createAccount } from '../src/accounts/accounts.ts';
import { DEFAULT_DEFINITION } from '../src/domain/report-definition.ts';
import { NO_ACCESS } from '../src/domain/site-access.ts';
import { packDocument } from '../src/platform/packed-document.ts';
import { createSecretBox, newSecretKey } from '../src/platform/secret-box.ts';
import { createReport } from '../src/reports/create-report.ts';
import type { Database } from '../src/store/database.ts';
import { createCredentialStore } from '../src/store/reports/credential-store.ts';

/** Documents that the pages have in turn, of the size of an ordinary page. */
const DOCUMENTS = 200;
const DOCUMENT_PARAGRAPHS = 150;

export interface QueueSize {
  readonly accounts: number;
  readonly reports: number;
  /** Of each report. */
  readonly pages: number;
}

/** Fills an empty database with crawled reports, whose HTML checks wait for workers. */
export async function seedQueue(db: Database, { accounts, reports, pages }: QueueSize): Promise<void> {
  const credentialStore = createCredentialStore(createSecretBox(newSecretKey()));
  const owners: string[] = [];
  for (let number = 1; number <= accounts; number += 1) {
    const { id } = await createAccount(db, { email: `owner-${number}@site.test`, name: `Owner ${number}` });
    owners.push(id);
  }
  const hashes: Buffer[] = [];
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const document = await packDocument(Buffer.from(documentOf(number)));
    await db.insertInto('documents').values(document).execute();
    hashes.push(document.hash);
  }
  for (let number = 0; number < reports; number += 1) {
    const id = await createReport(db, credentialStore, {
      ...DEFAULT_DEFINITION,
      accountId: owners[number % accounts] ?? '',
      siteAccess: NO_ACCESS,
      starting_url: `http://site-${number}.test/`,
      checks: ['html'],
      max_pages: pages,
    });
    await addPages(db, id, pages, hashes);
  }
  await sql`VACUUM (ANALYZE)`.execute(db);
}

async function addPages(db: Database, reportId: string, pages: number, hashes: readonly Buffer[]): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO web_pages (report_id, url, http_status, content_type, title, document_hash, fetched_at, headers)
      SELECT r.id, r.starting_url || 'section-' || n % 50 || '/page-' || n, 200, 'text/html; charset=utf-8', 'Page ' || n,
        (${hashes}::bytea[])[1 + n % ${hashes.length}], now(), '[["content-type", "text/html; charset=utf-8"]]'
      FROM reports r, generate_series(1, ${pages}::integer) n WHERE r.id = ${reportId}
      RETURNING id, report_id)
    INSERT INTO checks (web_page_id, kind, report_id, payer_id, turn)
    SELECT a.id, 'html', a.report_id, r.payer_id, row_number() OVER (ORDER BY a.id) FROM added a JOIN reports r ON r.id = a.report_id
  `.execute(db);
  await sql`UPDATE report_checks SET pending = ${pages} WHERE report_id = ${reportId}`.execute(db);
  await sql`UPDATE reports SET crawl_pending = false, crawl_failed = false, status = 'checking', num_pages = ${pages},
    site_url = starting_url, crawl_hosts = ARRAY[domain] WHERE id = ${reportId}`.execute(db);
}

function documentOf(number: number): string {
  const paragraphs = Array.from(
    { length: DOCUMENT_PARAGRAPHS },
    (_, index) => `<p id="p${index}">Paragraph ${number * index} of <a href="/page-${index}">page ${number}</a></p>`,
  );
  return `<!DOCTYPE html><html lang="en"><title>${number}</title>${paragraphs.join('')}</html>`;
}
