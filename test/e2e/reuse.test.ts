import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { DECISION_SCOPES, VERDICTS } from '../../src/domain/decision.ts';
import { emptyTables } from '../helpers/empty-tables.ts';
import { randomFrom } from '../helpers/random.ts';
import { resultOf } from '../helpers/report-result.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Results of unchanged pages are reused (decision 0139), and a report with them equals a report without. */

const PAGES = 5;
const FAULTS = [
  '<img src="a.png">',
  '<p id="x">A</p><p id="x">B</p>',
  '<center>C</center>',
  '<div role="buton"></div>',
];
const LINKS = Array.from({ length: PAGES }, (_, page) => `<a href="/${page}">${page}</a>`).join(' ');

interface Page {
  faults: string[];
  text: string;
  contentType: string;
}

let service: TestApp;
let site: TestSite;
let pages: Page[];

const newPages = (): Page[] =>
  Array.from({ length: PAGES }, (_, page) => ({
    faults: FAULTS.slice(0, page % (FAULTS.length + 1)),
    text: 'Text',
    contentType: 'text/html; charset=utf-8',
  }));

before(async () => {
  site = await startTestSite({
    '*': (request, response) => {
      const page = pages[Number(request.url?.slice(1))];
      if (page === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': page.contentType });
      response.end(
        `<!DOCTYPE html><html lang="en"><title>Page</title><h1>${page.text}</h1>${LINKS}${page.faults.join('')}</html>`,
      );
    },
  });
  service = await startTestApp({}, {}, WITHOUT_BROWSER);
});
after(async () => {
  await service?.close();
  await site?.stop();
});
afterEach(() => emptyTables(service.app.db, 'mutings', 'muting_totals', 'decisions', 'reports'));

async function report(more: object = {}): Promise<string> {
  const definition = { starting_url: `${site.origin}/0`, rate_limit: 100, ...more };
  const { id } = (await service.ask('/reports', 'POST', definition)).data;
  assert.equal((await service.finished(id)).attributes.status, 'finished');
  return id;
}

/** The pages whose HTML results were reused, by path, with the reports that found them. */
async function reusedIn(reportId: string): Promise<ReadonlyMap<string, string>> {
  const found = await service.all(`/reports/${reportId}/web_pages`);
  return new Map(
    found.flatMap(({ attributes: { url, html_check: check } }: Item) =>
      check.reused_from === null ? [] : [[new URL(url).pathname, check.reused_from.report_id]],
    ),
  );
}

/** All that is stored about the issues of a report, except ids, and what lists show. */
async function resultsOf(reportId: string) {
  const { db } = service.app;
  const { rows } = await sql<{ verdict: string | null; mutings: number[] | null }>`
    SELECT p.url, i.kind, i.position, i.url AS frame, i.how_many, i.fingerprints, i.clusters, i.traces, i.occurrences, i.new_occurrences,
      i.muted, i.muted_at_end, i.muted_retroactively, i.mutings, i.decision_id, i.found_positions, k.key, k.fingerprint, k.issue_type,
      k.issue_sub_type, k.message, k.rule_id, k.help_url, k.impact, k.tags, k.outside_standard, k.verdict, k.found_key, k.found_fingerprint,
      k.found_type, k.how_many AS common, k.num_web_pages, k.muted_how_many, c.notes, c.engine_version
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
      JOIN checks c ON c.web_page_id = p.id AND c.kind = i.kind
    WHERE i.report_id = ${reportId} ORDER BY p.url, i.kind, i.position, k.key, i.found_positions`.execute(db);
  const { report, sums, pages, commonIssues } = await resultOf(db, reportId);
  return { rows, report, sums, pages, commonIssues };
}

async function settled(): Promise<void> {
  const { db } = service.app;
  await until(async () => {
    const { rows } = await sql<{ pending: boolean }>`
      SELECT EXISTS (SELECT FROM mutings WHERE walk_pending) OR EXISTS (SELECT FROM decisions WHERE walk_pending) AS pending`.execute(
      db,
    );
    return rows[0]?.pending === false;
  });
}

describe('the result of a check', () => {
  before(() => {
    pages = newPages();
  });

  it('is reused if nothing changed, and only then', async () => {
    const first = await report();
    assert.deepEqual(await reusedIn(first), new Map());
    const second = await report();
    assert.deepEqual([...(await reusedIn(second)).values()], Array(PAGES).fill(first));
    assert.deepEqual(await resultsOf(second), await resultsOf(first));

    const [, edited, typed] = pages;
    if (edited !== undefined) edited.text = 'Edited';
    if (typed !== undefined) typed.contentType = 'text/html; charset=windows-1252';
    const third = await report();
    const reused = await reusedIn(third);
    assert.deepEqual([reused.size, reused.has('/1'), reused.has('/2')], [PAGES - 2, false, false]);
    // Of the report that checked the page, not of the one in between.
    assert.deepEqual(new Set(reused.values()), new Set([first]));
    const latest = await report();
    const fourth = await reusedIn(latest);
    assert.deepEqual([fourth.get('/1'), fourth.get('/0')], [third, first]);
    const [checkedPage] = await service.all(`/reports/${first}/web_pages`);
    const [reusedPage] = await service.all(`/reports/${latest}/web_pages`);
    const { html_check: shown } = reusedPage?.attributes ?? assert.fail();
    assert.equal(shown.reused_from.checked_at, checkedPage?.attributes.last_checked_at);

    // A re-check checks the page.
    const path = `/reports/${latest}/web_pages/${reusedPage?.id}`;
    await service.ask(path, 'PATCH', { status: 'pending' });
    await service.finished(latest);
    const { html_check: check } = (await service.ask(path)).data.attributes;
    assert.deepEqual([check.status, check.reused_from], ['checked', null]);

    // A report without reuse checks all pages, and later reports reuse its results.
    const fresh = await report({ reuse: false });
    assert.equal((await reusedIn(fresh)).size, 0);
    assert.deepEqual(new Set((await reusedIn(await report())).values()), new Set([fresh]));
  });

  it('is not reused with other credentials, nor by another engine version', async () => {
    const signedIn = { headers: { 'x-secret': 'a' } };
    const first = await report(signedIn);
    assert.deepEqual(new Set((await reusedIn(await report(signedIn))).values()), new Set([first]));
    assert.equal((await reusedIn(await report({ headers: { 'x-secret': 'b' } }))).size, 0);
    const { db } = service.app;
    await sql`UPDATE checks SET engine_version = 'vnu 0'`.execute(db);
    assert.equal((await reusedIn(await report(signedIn))).size, 0);
  });

  it('is not reused once it has varied', async () => {
    await report();
    await sql`UPDATE checks SET varies = true WHERE web_page_id IN (SELECT id FROM web_pages WHERE url LIKE '%/3')`.execute(
      service.app.db,
    );
    const reused = await reusedIn(await report());
    assert.deepEqual([reused.size, reused.has('/3')], [PAGES - 1, false]);
  });

  it('has its raw check, and is not reused without one', async () => {
    await report();
    const raw = { store_raw_html_checks: true };
    const first = await report(raw);
    assert.equal((await reusedIn(first)).size, 0);
    const second = await report(raw);
    assert.equal((await reusedIn(second)).size, PAGES);
    const stored = (id: string) =>
      sql`SELECT p.url, w.raw, w.omitted FROM raw_checks w JOIN web_pages p ON p.id = w.web_page_id
        WHERE p.report_id = ${id} ORDER BY p.url`.execute(service.app.db);
    assert.deepEqual((await stored(second)).rows, (await stored(first)).rows);
    assert.equal((await stored(second)).rows.length, PAGES);
  });

  it('is not reused while mutings have selectors', async () => {
    await report();
    await service.ask('/mutings', 'POST', { url_match: '/', message: 'img', selector: 'img' });
    await settled();
    assert.equal((await reusedIn(await report())).size, 0);
  });
});

describe('a report with reused results', () => {
  const random = randomFrom();
  const chance = (share: number): boolean => random() < share;
  const anyOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

  function edit(): void {
    for (const page of pages) {
      if (!chance(0.3)) continue;
      const fault = anyOf(FAULTS) ?? '';
      if (chance(0.5)) page.faults.push(fault);
      else if (chance(0.7)) page.faults.splice(page.faults.indexOf(fault), 1);
      else page.text = `Text ${Math.floor(random() * 3)}`;
    }
  }

  async function decide(reportId: string): Promise<void> {
    const type = anyOf(await service.all(`/reports/${reportId}/common_html_issues`))?.id;
    if (type === undefined) return;
    const occurrence = anyOf(await service.all(`/reports/${reportId}/common_html_issues/${type}/occurrences`))?.id;
    const decision = { occurrence, scope: anyOf(DECISION_SCOPES), verdict: anyOf(VERDICTS) };
    if (occurrence !== undefined) await service.ask(`/reports/${reportId}/decisions`, 'POST', decision);
  }

  it('equals one without, occurrence by occurrence, after edits, mutings, decisions and other standards', async () => {
    pages = newPages();
    let latest = await report();
    let reused = 0;
    let decided = 0;
    let muted = 0;
    for (let round = 0; round < 3; round += 1) {
      edit();
      const muting = { url_match: anyOf(['/1', '/']), message: anyOf(['Duplicate', 'img', 'role']) };
      if (round > 0) await service.ask('/mutings', 'POST', muting);
      await decide(latest);
      await settled();
      const settings = { standard: anyOf([null, 'wcag22-aa']), best_practices: chance(0.5) };
      const quick = await report(settings);
      latest = await report({ ...settings, reuse: false });
      await settled();
      reused += (await reusedIn(quick)).size;
      assert.equal((await reusedIn(latest)).size, 0);
      const results = await resultsOf(quick);
      assert.deepEqual(results, await resultsOf(latest));
      decided += results.rows.filter(({ verdict }) => verdict !== null).length;
      muted += results.rows.filter(({ mutings }) => mutings !== null).length;
    }
    assert.ok(reused > 3 && decided > 0 && muted > 0, `${reused} reused, ${decided} decided, ${muted} muted`);
  });
});
