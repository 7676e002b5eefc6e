import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Equal findings of a site with a header on all pages are one row that unfolds. */

const page = (current: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><title>Page</title></head><body>
<header id="top"><center>News</center><img src="/logo.png?v=${current}">
<a href="/gone" class="${current === '/' ? 'active' : ''}">Gone</a></header>
<main><h1>Title</h1>
${body}
</main><nav><a href="/">Home</a> <a href="/two">Two</a></nav></body></html>`;

const ROWS = 3;
const rows = Array.from(
  { length: ROWS },
  (_, row) =>
    `<p><input type="text" align="left" name="answer[${row}]" id="question-${row}" value="${row} apples"></p>`,
);
/** A form with equal rows, and texts in two colors. */
const FORM = `<!doctype html>
<html lang="en"><head><title>Questions</title>
<style>body { background: #fff } .pale p { color: #bbb } .grey p { color: #999 }</style></head>
<body><header><h1>Questions</h1><p><input type="text" align="left" name="q"></p></header>
<main><form action="/">${rows.join('\n')}<button>Send</button></form>
<section class="pale"><h2>Terms</h2><p>You can read this hardly.</p><p>And this.</p></section>
<section class="grey"><h2>Imprint</h2><p>This is a bit better.</p></section></main></body></html>`;

let bodies: Readonly<Record<string, string>> = {
  '/': '<center>Also</center>',
  '/two': '<p>Fine</p><img src="/other.png">',
};
let service: TestApp;
let site: TestSite;
let report: string;

before(async () => {
  const serve = (path: string) => (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(path, bodies[path] ?? ''));
  };
  const form = { '/form': { headers: { 'content-type': 'text/html; charset=utf-8' }, body: FORM } };
  site = await startTestSite({ '/': serve('/'), '/two': serve('/two'), ...form });
  service = await startTestApp();
  report = await check({ initial_urls: [`${site.origin}/form`] });
});
after(async () => {
  await service?.close();
  await site?.stop();
});

/** Returns the path of a report of the site. */
async function check(more: object = {}): Promise<string> {
  const definition = { starting_url: `${site.origin}/`, rate_limit: 50, ...more };
  const checks = { perform_html_checks: true, perform_a11y_checks: true, perform_link_checks: true };
  const { id } = await service.finished((await service.ask('/reports', 'POST', { ...definition, ...checks })).data.id);
  return `/reports/${id}`;
}

async function common(kind: string, part: string): Promise<Item> {
  const issues = await service.all(`${report}/common_${kind}_issues`);
  return issues.find(({ attributes }) => JSON.stringify(attributes).includes(part)) ?? assert.fail(part);
}

/** The clusters of a common issue, each with its occurrences, without ids. */
async function unfolded({ relationships, attributes }: Item): Promise<unknown> {
  const clusters = await service.all(relationships.clusters.links.related);
  const rows = [];
  for (const { attributes: cluster, relationships: of } of clusters) {
    const { sample, ...row } = cluster;
    const occurrences = await service.all(of.occurrences.links.related);
    assert.equal(sample.occurrence, occurrences[0]?.id);
    assert.equal(occurrences.length, cluster.how_many);
    rows.push({ ...row, sample: [path(sample.url), sample.line, sample.column], occurrences: occurrences.map(brief) });
  }
  const all = await service.all(relationships.occurrences.links.related);
  assert.equal(all.length, attributes.how_many);
  return rows;
}

const path = (url: string): string => url.slice(site.origin.length);
const brief = ({ attributes: { url, line, column, selector } }: Item) => [path(url), line, column, selector];

/** The number of occurrences in each cluster of an issue type. */
async function clusters(kind: string, part: string): Promise<number[]> {
  const listed = await service.all((await common(kind, part)).relationships.clusters.links.related);
  return listed.map(({ attributes }) => attributes.how_many);
}

describe('a cluster, which is what one change fixes,', () => {
  it('has all rows of a form, but not the field in the header', async () => {
    assert.deepEqual(await clusters('html', 'align'), [ROWS, 1]);
    assert.deepEqual(await clusters('a11y', '"label"'), [ROWS, 1]);
  });

  it('has the texts of one combination of colors', async () => {
    assert.deepEqual(await clusters('a11y', '"color-contrast"'), [2, 1]);
  });
});

describe('the occurrences of a common issue', () => {
  it('of HTML', async () => {
    assert.deepEqual(await unfolded(await common('html', 'center')), [
      {
        markup: '<center>',
        selector: null,
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        how_many: 3,
        num_web_pages: 2,
        sample: ['/', 3, 18],
        occurrences: [
          ['/', 3, 18, null],
          ['/', 6, 1, null],
          ['/two', 3, 18, null],
        ],
      },
    ]);
  });

  it('of accessibility: the logo in the header is one, and the other image another', async () => {
    assert.deepEqual(await unfolded(await common('a11y', 'image-alt')), [
      {
        markup: '<img src="/logo.png?v=/">',
        selector: 'img',
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        how_many: 2,
        num_web_pages: 2,
        sample: ['/', 3, 39],
        occurrences: [
          ['/', 3, 39, 'img'],
          ['/two', 3, 39, 'img[src="/logo.png?v=/two"]'],
        ],
      },
      {
        markup: '<img src="/other.png">',
        selector: 'img[src$="other.png"]',
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        how_many: 1,
        num_web_pages: 1,
        sample: ['/two', 6, 12],
        occurrences: [['/two', 6, 12, 'img[src$="other.png"]']],
      },
    ]);
  });

  it('of links', async () => {
    assert.deepEqual(await unfolded(await common('link', '404')), [
      {
        markup: `${site.origin}/gone`,
        selector: null,
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        how_many: 2,
        num_web_pages: 2,
        sample: ['/', null, null],
        occurrences: [
          ['/', null, null, null],
          ['/two', null, null, null],
        ],
      },
    ]);
  });

  it('are what a fix is about', async () => {
    let fixes: Item[] = [];
    await until(async () => {
      fixes = await service.all(`${report}/fixes`);
      return fixes.length > 0;
    });
    for (const { attributes, relationships } of fixes) {
      const occurrences = await service.all(relationships.occurrences.links.related);
      assert.equal(occurrences.length, attributes.how_many);
    }
  });

  it('show how they changed since the previous report', async () => {
    const changes = async () => {
      const occurrences = await service.all((await common('html', 'center')).relationships.occurrences.links.related);
      return occurrences.map(({ attributes: { url, line, change } }) => [path(url), line, change]);
    };
    assert.deepEqual(await changes(), [
      ['/', 3, null],
      ['/', 6, null],
      ['/two', 3, null],
    ]);
    bodies = { '/': '<p>Fine</p>', '/two': '\n<center>Another</center>' };
    report = await check();
    await until(
      async () => (await service.ask<{ meta: { with: string | null } }>(`${report}/changes`)).meta.with !== null,
    );
    assert.deepEqual(await changes(), [
      ['/', 3, 'persisting'],
      ['/two', 3, 'persisting'],
      ['/two', 7, 'new'],
    ]);
  });
});
