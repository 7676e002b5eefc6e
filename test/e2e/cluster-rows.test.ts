import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** A cluster is what one change fixes: all rows of a form, but not two combinations of colors. */

const ROWS = 40;
const rows = Array.from(
  { length: ROWS },
  (_, row) =>
    `<p><input type="text" align="left" name="answer[${row}]" id="question-${row}" value="${row} apples"></p>`,
);
const PAGE = `<!doctype html>
<html lang="en"><head><title>Questions</title>
<style>body { background: #fff } .pale p { color: #bbb } .grey p { color: #999 }</style></head>
<body><header><h1>Questions</h1><p><input type="text" align="left" name="q"></p></header>
<main><form action="/">${rows.join('\n')}<button>Send</button></form>
<section class="pale"><h2>Terms</h2><p>You can read this hardly.</p><p>And this.</p></section>
<section class="grey"><h2>Imprint</h2><p>This is a bit better.</p></section></main></body></html>`;

let service: TestApp;
let site: TestSite;
let report: string;

before(async () => {
  site = await startTestSite({
    '/': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
  });
  service = await startTestApp();
  const definition = { starting_url: `${site.origin}/`, perform_a11y_checks: true };
  const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  report = `/reports/${id}`;
});
after(async () => {
  await service?.close();
  await site?.stop();
});

/** The number of occurrences in each cluster of the issue type whose attributes contain a text. */
async function clusters(kind: string, part: string): Promise<number[]> {
  const issues: Item[] = await service.all(`${report}/common_${kind}_issues`);
  const issue = issues.find(({ attributes }) => JSON.stringify(attributes).includes(part)) ?? assert.fail(part);
  const listed = await service.all(issue.relationships.clusters.links.related);
  return listed.map(({ attributes }) => attributes.how_many);
}

describe('the clusters of a form', () => {
  it('are one for all its rows, and one for the field in the header', async () => {
    assert.deepEqual(await clusters('html', 'align'), [ROWS, 1]);
    assert.deepEqual(await clusters('a11y', '"label"'), [ROWS, 1]);
  });
});

describe('the clusters of texts with insufficient contrast', () => {
  it('are one for each combination of colors', async () => {
    assert.deepEqual(await clusters('a11y', '"color-contrast"'), [2, 1]);
  });
});
