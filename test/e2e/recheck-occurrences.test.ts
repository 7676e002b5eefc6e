import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../src/store/database.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** How the occurrences changed on pages that are edited and checked again. */

const CENTER = '<center>News</center>';
const FONT = '<font>Red</font>';
const IMAGE = '<p><img src="/logo.png"></p>';
const BIG = '<p><big>Big</big></p>';

describe('a re-check', () => {
  let service: TestApp;
  let site: TestSite;
  /** Null: the page returns 500. */
  let body: string | null;
  let reportId: string;
  let page: string;

  before(async () => {
    site = await startTestSite({
      '/': (_, response) => {
        const html = `<!doctype html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}</main></body></html>`;
        response.writeHead(body === null ? 500 : 200, { 'content-type': 'text/html' }).end(html);
      },
    });
    service = await startTestApp();
    await start(CENTER + CENTER + FONT, { perform_a11y_checks: true });
  });
  after(async () => {
    await service?.close();
    await site?.stop();
  });

  async function start(content: string, settings: object): Promise<void> {
    body = content;
    const definition = { starting_url: `${site.origin}/`, rate_limit: 50, ...settings };
    ({ id: reportId } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id));
    const [found] = await service.all(`/reports/${reportId}/web_pages`);
    page = `/reports/${reportId}/web_pages/${found?.id}`;
  }

  const checks = async () => (await service.ask(page)).data.attributes;

  /** Checks the page again with this content, and returns what its checks say about it. */
  async function recheck(edited: string | null) {
    body = edited;
    await service.ask(page, 'PATCH', { status: 'pending' });
    await service.finished(reportId);
    const { html_check: html, a11y_check: a11y } = await checks();
    return { html: counts(html.recheck), a11y: counts(a11y?.recheck ?? null), cause: html.recheck?.cause };
  }

  /** The element that an issue is about, with the marks of its occurrences. */
  async function marks(query = ''): Promise<Record<string, (string | null)[]>> {
    const issues = await service.all(`${page}/html_issues${query}`);
    return Object.fromEntries(
      issues.map(({ attributes: { message, html } }) => [
        elementIn(message),
        html.map((occurrence: { recheck: string | null }) => occurrence.recheck),
      ]),
    );
  }

  async function fixedIssues() {
    const { data, meta } = await service.ask<FixedIssues>(`${page}/fixed_issues?page[size]=100`);
    const fixed = data.map(({ attributes }) => [attributes.kind, elementIn(attributes.message), attributes.how_many]);
    return { fixed: fixed.sort(), unlisted: meta.unlisted };
  }

  async function commonIssue(element: string): Promise<Item | undefined> {
    const all = await service.all(`/reports/${reportId}/common_html_issues`);
    return all.find(({ attributes }) => elementIn(attributes.message) === element);
  }

  it('says nothing before the first re-check', async () => {
    const { html_check: html, a11y_check: a11y } = await checks();
    assert.deepEqual([html.recheck, a11y.recheck], [null, null]);
    assert.deepEqual(await marks(), { center: [null, null], font: [null] });
    assert.deepEqual(await fixedIssues(), { fixed: [], unlisted: 0 });
    assert.equal((await service.ask(page)).data.relationships.fixed_issues, undefined);
  });

  it('shows each occurrence that is fixed, still there or new, even among equal ones', async () => {
    const common = await commonIssue('center');
    body = CENTER + FONT + IMAGE;
    const asked = (await service.ask(`/reports/${reportId}/rechecks`, 'POST', { common_html_issue_id: common?.id }))
      .data;
    await service.finished(reportId);

    const { html_check: html, a11y_check: a11y } = await checks();
    const { checked_at: checkedAt, ...rest } = html.recheck;
    assert.deepEqual(rest, { fixed: 1, still: 2, new: 1, cause: 'site' });
    assert.match(checkedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.deepEqual(counts(a11y.recheck), { fixed: 0, still: 0, new: 1 });
    assert.deepEqual(await marks(), { center: ['still'], font: ['still'], img: ['new'] });
    const [image] = await service.all(`${page}/a11y_issues`);
    assert.deepEqual(
      image?.attributes.occurrences.map((occurrence: { recheck: string }) => occurrence.recheck),
      ['new'],
    );
    assert.deepEqual(await fixedIssues(), { fixed: [['html', 'center', 1]], unlisted: 0 });
    const related = (await service.ask(page)).data.relationships.fixed_issues.links.related;
    assert.equal(new URL(related).pathname, `/api/v1${page}/fixed_issues`);
    for (const [element, mark] of [
      ['center', 'still'],
      ['img', 'new'],
    ] as const) {
      const issue = await commonIssue(element);
      const occurrences = await service.all(`/reports/${reportId}/common_html_issues/${issue?.id}/occurrences`);
      assert.deepEqual(
        occurrences.map(({ attributes }) => attributes.recheck),
        [mark],
      );
    }

    const done = (await service.ask(`/reports/${reportId}/rechecks/${asked.id}`)).data.attributes;
    assert.deepEqual(done.status, { pending: 0, checked: 2, failed: 0 });
    assert.deepEqual(done.occurrences, { fixed: 1, still: 2, new: 2 });
    assert.deepEqual(done.occurrences_of_issue, { fixed: 1, still: 1, new: 0 });
    assert.deepEqual([done.kind, done.common_issue_id, done.uncompared], ['html', common?.id, 0]);
    assert.ok(done.finished_at);
  });

  it('finds all occurrences again on an unchanged page', async () => {
    const ended = new Date('2026-01-02T03:04:05Z');
    await service.app.db.updateTable('reports').set({ finished_at: ended }).execute();
    const { html, a11y } = await recheck(CENTER + FONT + IMAGE);
    const { attributes } = (await service.ask(`/reports/${reportId}`)).data;
    assert.equal(attributes.finished_at, '2026-01-02T03:04:05', 'when the report was complete');
    assert.ok(attributes.last_checked_at > attributes.finished_at);
    assert.deepEqual(
      [html, a11y],
      [
        { fixed: 0, still: 3, new: 0 },
        { fixed: 0, still: 1, new: 0 },
      ],
    );
    assert.deepEqual(await marks(), { center: ['still'], font: ['still'], img: ['still'] });
    assert.deepEqual(await fixedIssues(), { fixed: [], unlisted: 0 });
  });

  it('follows elements whose text or classes were edited, also over a failure', async () => {
    // How occurrences changed is found in the same way for all checks, and the HTML check is faster.
    await start(CENTER + FONT + IMAGE, {});
    const same = { fixed: 0, still: 3, new: 0 };
    assert.deepEqual((await recheck(`${CENTER}<font>Green</font>${IMAGE}`)).html, same);
    assert.deepEqual(await marks(), { center: ['still'], font: ['still'], img: ['still'] });
    await recheck(null);
    assert.deepEqual((await recheck(`<center class="wide">News</center><font>Green</font>${IMAGE}`)).html, same);
    assert.deepEqual((await recheck(CENTER + FONT + IMAGE)).html, same);
  });

  it('says that the engine version has changed', async () => {
    const { db, close } = openDatabase(service.environment['DATABASE_URL'] ?? '', () => undefined);
    const issue = await commonIssue('center');
    await sql`UPDATE checks SET engine_version = 'vnu of old' WHERE report_id = ${reportId} AND kind = 'html'`.execute(
      db,
    );
    await sql`UPDATE issues SET fingerprints = sha256('other')::bytea, traces = decode(repeat('00', 16), 'hex')
      WHERE common_issue_id = ${issue?.id}`.execute(db);
    await close();
    const { html, cause } = await recheck(CENTER + FONT + IMAGE);
    // The digest has the length of two fingerprints.
    assert.deepEqual([html, cause], [{ fixed: 2, still: 2, new: 1 }, 'engine']);
  });

  it('does not blame the site if the document and the engine are the same', async () => {
    const { db, close } = openDatabase(service.environment['DATABASE_URL'] ?? '', () => undefined);
    const issue = await commonIssue('center');
    await sql`UPDATE issues SET fingerprints = sha256('other')::bytea, traces = decode(repeat('00', 16), 'hex')
      WHERE common_issue_id = ${issue?.id}`.execute(db);
    await close();
    const { html, cause } = await recheck(CENTER + FONT + IMAGE);
    assert.deepEqual([html, cause], [{ fixed: 2, still: 2, new: 1 }, 'measurement']);
  });

  it('leaves out muted issues', async () => {
    const muting = { url_match: site.origin, message: '“font” element', comment: '' };
    const { id } = (await service.ask('/mutings', 'POST', muting)).data;
    await until(async () => (await marks())['font'] === undefined);
    const { html } = await recheck(CENTER + FONT + FONT + IMAGE);
    assert.deepEqual(html, { fixed: 0, still: 2, new: 0 });
    assert.deepEqual(await marks('?filter[muted]=all'), { center: ['still'], font: [null, null], img: ['still'] });
    await service.ask(`/mutings/${id}`, 'DELETE');
    await until(async () => (await marks())['font'] !== undefined);
  });

  it('leaves out what the selector of a muting hides now, without calling it fixed', async () => {
    await recheck(`<div class="old">${CENTER}</div>${CENTER}${FONT}`);
    const { data } = await service.ask('/mutings', 'POST', { url_match: '/', message: 'center', selector: '.old' });
    assert.deepEqual((await recheck(`<div class="old">${CENTER}</div>${CENTER}${FONT}`)).html, {
      fixed: 0,
      still: 2,
      new: 0,
    });
    await service.ask(`/mutings/${data.id}`, 'DELETE');
    await recheck(CENTER + FONT + FONT + IMAGE);
  });

  it('claims nothing when it fails, and the next one is compared with the earlier result', async () => {
    const asked = (
      await service.ask(`/reports/${reportId}/rechecks`, 'POST', { web_page_ids: [page.split('/').at(-1)] })
    ).data;
    body = null;
    await service.finished(reportId);
    const { html_check: html } = await checks();
    assert.deepEqual([html.status, html.recheck], ['failed', null]);
    assert.deepEqual(await fixedIssues(), { fixed: [], unlisted: 0 });
    const told = (await service.ask(`/reports/${reportId}/rechecks/${asked.id}`)).data.attributes;
    assert.deepEqual(told.status, { pending: 0, checked: 0, failed: 1 });
    assert.deepEqual([told.occurrences, told.occurrences_of_issue], [{ fixed: 0, still: 0, new: 0 }, null]);

    assert.deepEqual((await recheck(FONT + FONT + IMAGE + BIG)).html, { fixed: 1, still: 3, new: 1 });
    assert.deepEqual((await fixedIssues()).fixed, [['html', 'center', 1]]);
  });

  it('shows what it fixed after the issue type is gone', async () => {
    const common = await commonIssue('font');
    const asked = (await service.ask(`/reports/${reportId}/rechecks`, 'POST', { common_html_issue_id: common?.id }))
      .data;
    body = '<p>Fine</p>';
    await service.finished(reportId);
    assert.equal(await commonIssue('font'), undefined);
    const [told] = await service.all(`/reports/${reportId}/rechecks`);
    assert.equal(told?.id, asked.id);
    const { message, occurrences, occurrences_of_issue: ofIssue } = told?.attributes ?? {};
    assert.deepEqual(
      [elementIn(message), occurrences, ofIssue],
      ['font', { fixed: 4, still: 0, new: 0 }, { fixed: 2, still: 0, new: 0 }],
    );
    assert.deepEqual((await fixedIssues()).fixed, [
      ['html', 'big', 1],
      ['html', 'font', 2],
      ['html', 'img', 1],
    ]);
  });

  it('lists 50 fixed issue types, and says how many more occurrences are fixed', async () => {
    const unknown = Array.from({ length: 52 }, (_, number) => `<x${number}></x${number}>`);
    await recheck(unknown.join(''));
    const { errors, warnings } = (await checks()).html_check;
    const { html } = await recheck('<p>Fine</p>');
    assert.deepEqual(html, { fixed: errors + warnings, still: 0, new: 0 });
    const { fixed, unlisted } = await fixedIssues();
    assert.deepEqual([fixed.length, unlisted], [50, errors + warnings - 50]);
    assert.ok(unlisted > 0);
  });
});

interface FixedIssues {
  readonly data: readonly Item[];
  readonly meta: { readonly unlisted: number };
}

function counts(recheck: Record<'fixed' | 'still' | 'new', number> | null) {
  return recheck && { fixed: recheck.fixed, still: recheck.still, new: recheck.new };
}

function elementIn(message: string): string | undefined {
  return /“(center|font|img|big)”/.exec(message)?.[1];
}
