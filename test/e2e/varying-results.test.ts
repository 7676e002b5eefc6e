import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** How a page is reported whose document stays the same, but whose result does not (decision 0135). */

const PAGE = `<!doctype html><html lang="en"><head><title>Page</title><link rel="stylesheet" href="/style.css">
  </head><body><main><h1>Page</h1><p>Some text</p></main><script src="/draw.js"></script></body></html>`;
const LOW_CONTRAST = 'p { color: #ddd; background: #fff }';

let service: TestApp;
let site: TestSite;
const IMAGE = '<img src="data:,">';
const BUTTON = '<button></button>';
const FIELD = '<input>';
/** What the script draws, one for each time that the page is opened. The last one stays. */
let drawn = [IMAGE];
let style = '';

before(async () => {
  site = await startTestSite({
    '/': PAGE,
    '/style.css': (_, response) => {
      const headers = { 'content-type': 'text/css', 'cache-control': 'no-store', etag: `"${style.length}"` };
      response.writeHead(200, headers).end(style);
    },
    '/draw.js': (_, response) => {
      const [html] = drawn;
      if (drawn.length > 1) drawn.shift();
      response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' });
      response.end(`document.querySelector('main').insertAdjacentHTML('beforeend', '${html}')`);
    },
  });
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
});

/** Checks the site, and returns the changed issue types, and how often the page was opened. */
async function check(): Promise<{ changes: string[]; opened: number }> {
  const before = site.requests.length;
  const definition = { starting_url: `${site.origin}/`, perform_html_checks: false, perform_a11y_checks: true };
  const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  await service.compared(id);
  const changed = (await service.all(`/reports/${id}/changes`)).filter(
    ({ attributes }) => attributes.change !== 'persisting',
  );
  return {
    changes: changed.map(({ attributes: { change, cause, rule_id: rule } }) => `${change} ${rule} ${cause}`).sort(),
    opened: site.requests.slice(before).filter(({ url }) => url === '/draw.js').length,
  };
}

it('is checked once more, and nothing changed if the earlier result comes back', async () => {
  await check();
  drawn = [BUTTON, IMAGE];
  assert.deepEqual(await check(), { changes: [], opened: 2 });
});

it('is never attributed to the site if no result comes twice', async () => {
  drawn = [BUTTON, FIELD];
  const { changes, opened } = await check();
  assert.deepEqual([...new Set(changes.map((change) => change.split(' ').at(-1)))], ['measurement']);
  assert.equal(opened, 2);
});

it('is attributed to the site if a style sheet changed', async () => {
  await check();
  style = LOW_CONTRAST;
  assert.deepEqual(await check(), { changes: ['new color-contrast site'], opened: 2 });
});

it('is checked once if the result is the same', async () => {
  assert.deepEqual(await check(), { changes: [], opened: 1 });
});
