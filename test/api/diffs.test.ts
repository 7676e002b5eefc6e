import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { printSummary } from '../../src/commands/check-summary.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import type { Failure } from '../../src/domain/failures/failure.ts';
import { writeHtml } from '../../src/exports/html.ts';
import { writeMarkdown } from '../../src/exports/markdown.ts';
import { readReport } from '../../src/exports/report-model.ts';
import { chooseFixes } from '../../src/reports/choose-fixes.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { collectingTerminal } from '../helpers/run-here.ts';
import { occurrence } from '../helpers/sample-report.ts';
import { type SeedCheck, seedReport } from '../helpers/seed.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';

const page = { url: 'https://example.com/', occurrences: [0, 3] } as const;

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api?.close());

describe('comparisons that requests compute', () => {
  let reports: string[];
  before(async () => {
    const store = { db: api.db, accountId: api.people.ownerId };
    reports = [];
    for (let count = 0; count < 5; count += 1) reports.push(await seedOccurrences(store, [page]));
  });

  const compare = (withIndex: number) => api.get(`/api/v1/reports/${reports[0]}/changes?with=${reports[withIndex]}`);

  test('are computed once for concurrent requests', async () => {
    const answers = await Promise.all([1, 1, 1, 1, 1].map(compare));
    const ids = answers.map(({ document }) => document.data[0].id);
    assert.equal(new Set(ids).size, 1);
  });

  test('are refused while two others are running', async () => {
    const held = await api.db.transaction().execute(async (trx) => {
      await sql`SELECT FROM reports WHERE id = ${reports[0]} FOR UPDATE`.execute(trx);
      const first = [compare(2), compare(3), compare(3)];
      await waitingForLocks(api.db, 2);
      const refused = await compare(4);
      assert.equal(refused.status, 429);
      assert.equal(refused.document.errors[0].code, 'too_many_comparisons');
      assert.match(String(refused.headers['retry-after']), /^\d+$/);
      return first;
    });
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    assert.equal((await compare(4)).status, 200);
  });

  /** The id of the diff of the first report with another one. A later diff has a different id. */
  const diffWith = async (id: string | undefined, token?: string): Promise<string> => {
    const { status, document, text } = await api.get(`/api/v1/reports/${reports[0]}/changes?with=${id}`, token);
    assert.equal(status, 200, text);
    return document.data[0].id.split('-')[0];
  };

  test('are kept when the report is shared, which changes no results', async () => {
    const kept = await diffWith(reports[1]);
    const report = `/api/v1/reports/${reports[0]}`;
    const before = (await api.get(report)).document.data.attributes;
    const { document } = await api.send('PATCH', report, { attributes: { shared: true } });
    assert.equal(document.data.attributes.shared, true);
    assert.equal(document.data.attributes.status, before.status);
    assert.equal(await diffWith(reports[1]), kept);
    const pending = api.db
      .selectFrom('reports')
      .select('insights_pending')
      .where('id', '=', reports[0] ?? '');
    assert.equal((await pending.executeTakeFirstOrThrow()).insights_pending, false);
  });

  test('are read from their replacement if they are replaced while their pages are listed', async () => {
    const replaced = await diffWith(reports[1]);
    // As for a subset of the checks.
    await api.db.deleteFrom('changed_pages').where('diff_id', '=', Number(replaced)).execute();
    const held = await api.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('diffs').where('id', '=', Number(replaced)).execute();
      const asked = api.get(`/api/v1/reports/${reports[0]}/changes/pages?with=${reports[1]}`);
      await waitingForLocks(api.db, 1);
      return { asked };
    });
    const { status, document } = await held.asked;
    assert.deepEqual([status, document.meta.with], [200, reports[1]]);
    assert.notEqual(await diffWith(reports[1]), replaced);
  });

  test('requested by readers do not displace the comparisons of the owner', async () => {
    const store = { db: api.db, accountId: api.people.ownerId };
    const others: string[] = [];
    for (let count = 0; count < 11; count += 1) others.push(await seedOccurrences(store, [page]));
    await api.db
      .updateTable('reports')
      .set({ shared: true })
      .where('id', 'in', [...reports, ...others])
      .execute();
    const owners = await diffWith(reports[1]);
    const first = await diffWith(others[0], api.people.stranger);
    for (const other of others.slice(1)) await diffWith(other, api.people.stranger);
    assert.equal(await diffWith(reports[1]), owners);
    assert.notEqual(await diffWith(others[0], api.people.stranger), first);
    // A comparison that the owner requests, too, is the owner's.
    const both = await diffWith(others[10], api.people.stranger);
    assert.equal(await diffWith(others[10]), both);
    for (const other of others.slice(0, 10)) await diffWith(other, api.people.stranger);
    assert.equal(await diffWith(others[10]), both);
  });
});

test('fixes count the occurrences of pages that cannot pass yet', async () => {
  const kind = { type: 'error', message: 'Duplicate ID “menu”.' } as const;
  const html = {
    status: 'checked',
    issues: [{ kind, occurrences: [occurrence(1)], clusters: ['0000000000000001'] }],
  } as const;
  const failed = { status: 'failed', error: { code: 'page_crashed', params: {} } } as const;
  const { reportId } = await seedReport(
    api.db,
    { account_id: api.people.ownerId },
    ['html', 'a11y'],
    [
      { url: 'https://example.com/', checks: { html, a11y: { status: 'checked' } } },
      { url: 'https://example.com/b', checks: { html, a11y: failed } },
    ],
  );
  const [fix] = (await chooseFixes(api.db, reportId)).fixes;
  assert.deepEqual([fix?.how_many, fix?.num_web_pages, fix?.passing_before, fix?.passing_after], [2, 2, 0, 1]);
});

test('a broken link precedes more errors that hinder visitors less', async () => {
  const url = 'https://example.com/';
  const stray = { type: 'error', message: 'Stray end tag “div”.', tags: ['end tag', 'stray tag'] } as const;
  const dead = { type: 'error', message: `Link returns 404: ${url}gone`, tags: ['client error'] } as const;
  const html = [{ kind: stray, occurrences: [occurrence(1), occurrence(2), occurrence(3)] }];
  const link = [{ kind: dead, occurrences: [{ url: `${url}gone`, final_url: `${url}gone` }] }];
  const checks = { html: { status: 'checked', issues: html }, link: { status: 'checked', issues: link } } as const;
  const { reportId } = await seedReport(
    api.db,
    { account_id: api.people.ownerId },
    ['html', 'link'],
    [{ url, checks }],
  );
  const { fixes } = await chooseFixes(api.db, reportId);
  assert.deepEqual(
    fixes.map(({ kind, errors }) => [kind, errors]),
    [
      ['link', 1],
      ['html', 3],
    ],
  );
});

test('the plan has all causes of a report, and says how many it omits', async () => {
  const causes = 1_030;
  const pages = [0, 1].map((page) => ({
    url: `https://example.com/${page}`,
    occurrences: [page * 515, (page + 1) * 515] as const,
    clusters: causes,
  }));
  const reportId = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, pages);
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  const lastPage = async () =>
    (await api.get(`/api/v1/reports/${reportId}/fixes?page[size]=100&page[number]=10`)).document;
  const { meta } = await lastPage();
  assert.deepEqual([meta.total, meta.is_current], [0, false]);
  assert.ok(await computeNextInsights(api.db));
  const page = await lastPage();
  assert.deepEqual(
    [page.meta.total, page.data.length, page.meta.left_out, page.meta.is_current],
    [1_000, 100, 30, true],
  );
  assert.equal(
    new Set(page.data.map(({ attributes }: { attributes: { cluster: string } }) => attributes.cluster)).size,
    100,
  );
  const report = await findReport(api.db, reportId);
  assert.ok(report);
  const html = (await Array.fromAsync(writeHtml(readReport(api.db, report), null))).join('');
  const markdown = (await Array.fromAsync(writeMarkdown(readReport(api.db, report), null))).join('');
  assert.equal(html.match(/<li value="[0-9]+">/g)?.length, 1_000);
  assert.match(html, /<p>30 more causes of errors in the lists below\./);
  assert.match(
    markdown,
    /\n\n995 more fixes of the plan are in the report and in its formats `json` and `xlsx`\. 30 more causes of errors are in the lists of issues of the report\.\n/,
  );
  // As if the ninth fix were the first one of another check.
  await api.db
    .insertInto('report_checks')
    .values({ report_id: reportId, kind: 'link', position: 1, store_raw: false })
    .execute();
  const ofReport = api.db.updateTable('fixes').where('report_id', '=', reportId);
  await ofReport.set({ kind: 'link' }).where('position', '>', 8).execute();
  const again = await findReport(api.db, reportId);
  assert.ok(again);
  const withGap = (await Array.fromAsync(writeMarkdown(readReport(api.db, again), null))).join('');
  assert.match(withGap, /\n\| 5 \|.*\n\| … \| 3 more fixes, not shown \| \| \|\n\| 9 \|/);
});

test('the command line prints the fixes that are kept, as the API lists them', async () => {
  const pages = ['a', 'b'].map((path) => ({ url: `https://example.com/${path}`, occurrences: [0, 1] }) as const);
  const reportId = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, pages);
  // New reports do not wait for the many reports whose insights are computed again after an upgrade.
  const old = await seedOccurrences({ db: api.db, accountId: api.people.ownerId }, pages);
  const finished = new Date('2020-01-01');
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', 'in', [reportId, old]).execute();
  await api.db.updateTable('reports').set({ finished_at: finished }).where('id', '=', old).execute();
  assert.ok(await computeNextInsights(api.db));
  await api.db.updateTable('fixes').set({ message: 'As kept.' }).where('report_id', '=', reportId).execute();
  const report = await findReport(api.db, reportId);
  assert.ok(report);
  const { terminal, printed } = collectingTerminal();
  await printSummary(api.db, report, { output: terminal.stdout, verbose: false });
  assert.match(printed.stdout, /\nFix first\n {2}1\. As kept\.\n/);
  const [fix] = (await api.get(`/api/v1/reports/${reportId}/fixes`)).document.data;
  assert.equal(fix.attributes.message, 'As kept.');
});

test('pages break by their responses, not by failures of this service or kinds of checks that did not run before', async () => {
  const checked = { status: 'checked' } as const;
  const failed = (error: Failure) => ({ status: 'failed', error }) as const;
  const crashed = failed({ code: 'page_crashed', params: {} });
  const over = failed({ code: 'credits_over_for_check', params: { payer: 'account' } });
  type Checks = Partial<Record<CheckKind, SeedCheck>>;
  const pages: Record<string, readonly [Checks, Checks]> = {
    fine: [
      { html: checked, a11y: checked },
      { html: checked, a11y: checked },
    ],
    gone: [
      { html: checked, a11y: checked },
      { html: failed(ANSWERED_404), a11y: failed(ANSWERED_404) },
    ],
    crashing: [
      { html: checked, a11y: checked },
      { html: checked, a11y: crashed },
    ],
    unpaid: [
      { html: checked, a11y: checked },
      { html: checked, a11y: over },
    ],
    before: [
      { html: checked, a11y: crashed },
      { html: checked, a11y: crashed },
    ],
    unlike: [{ html: checked }, { html: checked, a11y: crashed }],
    both: [
      { html: crashed, a11y: checked },
      { html: checked, a11y: crashed },
    ],
    back: [
      { html: checked, a11y: crashed },
      { html: checked, a11y: checked },
    ],
  };
  const seed = async (which: 0 | 1, extra: string): Promise<string> => {
    const listed = [...Object.entries(pages), [extra, [{ html: checked }, { html: checked }]] as const];
    const seeded = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['html', 'a11y'],
      listed.map(([name, checks]) => ({ url: `https://example.com/${name}`, checks: checks[which] })),
    );
    return seeded.reportId;
  };
  const before = await seed(0, 'old');
  const now = await seed(1, 'other');
  const ask = async (query: string) => {
    const { document } = await api.get(`/api/v1/reports/${now}/changes/pages?with=${before}${query}`);
    const told = document.data.map(({ attributes }: Item) => `${attributes.url.slice(20)} ${attributes.change}`);
    return { told, meta: document.meta };
  };
  const expected = ['both broken', 'crashing broken', 'gone broken', 'back recovered', 'other added', 'old removed'];
  const { told, meta } = await ask('');
  assert.deepEqual(told, ['other added', 'old removed']);
  assert.equal(meta.total, 2);
  assert.deepEqual(meta.changes, { broken: 3, recovered: 1, added: 1, removed: 1 });
  const all = '&filter[change]=added,removed,recovered,broken';
  assert.deepEqual((await ask(all)).told, expected);
  assert.deepEqual((await ask(`${all}&page[size]=2&page[number]=2`)).told, expected.slice(2, 4));
  const filtered = await ask('&filter[change]=recovered,added');
  assert.deepEqual(filtered.told, expected.slice(3, 5));
  assert.deepEqual(filtered.meta.changes, meta.changes);
  await api.get(`/api/v1/reports/${now}/changes?with=${before}`);
  const kept = api.db.selectFrom('diffs').select(['broken_pages', 'recovered_pages']).where('report_id', '=', now);
  assert.deepEqual(await kept.executeTakeFirstOrThrow(), { broken_pages: 3, recovered_pages: 1 });
});

test('pages of reports of different origins are matched by path', async () => {
  const store = { db: api.db, accountId: api.people.ownerId };
  const [production, staging] = ['https://example.com', 'http://staging.example.com:8080'];
  const earlier = await seedOccurrences(store, [{ url: `${production}/`, occurrences: [0, 9] }]);
  const before = await seedOccurrences(store, [
    { url: `${production}/`, occurrences: [0, 4] },
    { url: `${production}/old?a=1`, occurrences: [0, 2] },
  ]);
  const now = await seedOccurrences(store, [
    { url: `${staging}/`, occurrences: [2, 7] },
    { url: `${staging}/new`, occurrences: [0, 1] },
  ]);
  const ask = async (report: string, path: string) => {
    const { status, document, text } = await api.get(`/api/v1/reports/${report}/changes${path}`);
    assert.equal(status, 200, text);
    return document;
  };
  const { data, meta } = await ask(now, `?with=${before}`);
  assert.equal(meta.with, before);
  assert.deepEqual([meta.matched_by, meta.other_site], ['path', true]);
  // Occurrences 2 and 3 stay, 4 to 6 were in the report before, 0 and 1 are gone.
  assert.deepEqual(meta.changes, {
    new: 1,
    persisting: 2,
    fixed: 2,
    regressed: 3,
    not_checked_before: 0,
    unverified: 2,
  });
  const [row, ...others] = data.map(({ attributes }: Item) => attributes);
  assert.deepEqual(others, []);
  assert.deepEqual(row.occurrences, meta.changes);
  assert.deepEqual([row.change, row.how_many_before, row.how_many], ['more', 6, 6]);
  assert.deepEqual([row.sample.url, row.sample.occurrence.split('-')[1]], [`${staging}/new`, '0']);
  await api.db.deleteFrom('issues').where('report_id', '=', now).execute();
  const replaced = await ask(now, `?with=${before}`);
  assert.ok(replaced.data.every(({ attributes }: Item) => attributes.sample === null));
  const pages = await ask(now, `/pages?with=${before}`);
  assert.deepEqual([pages.meta.matched_by, pages.meta.other_site], ['path', true]);
  const told = pages.data.map(({ attributes }: Item) => `${attributes.change} ${attributes.url}`);
  assert.deepEqual(told, [`added ${staging}/new`, `removed ${production}/old?a=1`]);
  for (const path of ['', '/pages']) {
    const same = (await ask(before, `${path}?with=${earlier}`)).meta;
    assert.deepEqual([same.matched_by, same.other_site], ['url', false]);
    const none = (await ask(now, path)).meta;
    assert.deepEqual([none.matched_by, none.other_site], [null, null]);
  }
});
