import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Pages that scripts draw, from creating a report to the notes on its pages. */

const SECRET = 'q1w2e3r4-t5y6u7i8-o9p0';
const page = (body: string): string => `<!DOCTYPE html><html lang=en><title>t</title>${body}`;
const MAIN = '<main><h1>Heading</h1><p>Some words to read</p></main>';

let site: TestSite;
let service: TestApp;
let downs = 0;
let dataDowns = 0;
const SHOWS = (file: string): string =>
  `${MAIN}<script>fetch('${file}').then((r) => r.ok && document.querySelector('main').append(new Image()))</script>`;

before(async () => {
  site = await startTestSite({
    '/': page(`${MAIN}<script>setTimeout(() => { document.querySelector('main').innerHTML +=
      '<a id=late href=/shell>x</a><a href=/waits>y</a><a href=/static>z</a><img src="data:,">' }, 200)</script>`),
    '/shell': page('<div id=root></div><script>0</script>'),
    '/waits': page(`${MAIN}<script>fetch('/never?token=${SECRET}')</script>`),
    '/static': page(MAIN),
    '/app': page('<div id=root></div><script src=/app.js></script>'),
    // The server is down for the first check, and for good for the script of another page.
    '/app.js': (_, response) => {
      downs += 1;
      response.statusCode = downs === 1 ? 503 : 200;
      response.setHeader('content-type', 'text/javascript');
      response.end(`document.body.innerHTML = '${MAIN.replace('</main>', '<img src="data:,"></main>')}'`);
    },
    '/lost': page('<div id=root></div><script src=/lost.js></script>'),
    '/lost.js': (request) => void request.destroy(),
    '/late-data': page(SHOWS('/late.json')),
    '/late.json': (_, response) => {
      dataDowns += 1;
      response.statusCode = dataDowns === 1 ? 503 : 200;
      response.end('{}');
    },
    '/lost-data': page(SHOWS('/lost.json')),
    '/lost.json': (_, response) => void response.writeHead(503).end(),
    '/never': () => undefined,
  });
  service = await startTestApp({ SITEWARDEN_SETTLE_MS: '15000', SITEWARDEN_CONTACT_URL: 'mailto:owner@example.com' });
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function notesOf(attributes: object) {
  const common = { starting_url: `${site.origin}/`, rate_limit: 100, perform_a11y_checks: true };
  const { data } = await service.ask('/reports', 'POST', { ...common, ...attributes });
  const report = await service.finished(data.id);
  const pages = await service.all(`/reports/${data.id}/web_pages`);
  const notes = Object.fromEntries(
    pages.map(({ attributes: { url, a11y_check } }) => [new URL(url).pathname, a11y_check.note]),
  );
  return { report, pages, notes };
}

const WAITED = (url: string) =>
  `The page was checked after 15 seconds, before it had settled: a request was still pending (${url}).`;
const EMPTY = 'The page was nearly empty even after its scripts ran, so there was little to check.';

describe('a site that scripts draw', () => {
  it('is crawled and checked when it has been drawn, with notes on its pages', async () => {
    const { pages, notes } = await notesOf({ dynamic_crawler: true });
    assert.deepEqual(notes, {
      '/': null,
      '/shell': EMPTY,
      '/waits': WAITED(`${site.origin}/never?token=${SECRET}`),
      '/static': null,
    });
    assert.ok(pages.every(({ attributes }) => attributes.html_check.note === null));
    assert.equal(pages[0]?.attributes.a11y_check.errors, 1, 'the image');
  });

  it('is checked once the element of wait_for is there', async () => {
    const initial_urls = ['/waits', '/static'].map((path) => `${site.origin}${path}`);
    const { report, notes } = await notesOf({ wait_for: '#late', initial_urls, deep_crawl: false });
    assert.equal(report.attributes.wait_for, '#late');
    assert.deepEqual(notes, {
      '/': null,
      '/waits': 'No element matched “#late” within 15 seconds, so the page was checked without it.',
      '/static': 'No element matches “#late”, and the page has no script that could add one.',
    });
  });

  it('is checked again if its script or its data were missing', async () => {
    const initial_urls = ['/lost', '/late-data', '/lost-data'].map((path) => `${site.origin}${path}`);
    const attributes = { starting_url: `${site.origin}/app`, initial_urls, perform_html_checks: false };
    const { pages } = await notesOf(attributes);
    const found = pages.map(({ attributes: { url, a11y_check: check } }) => [
      new URL(url).pathname,
      ...[check.status, check.errors, check.error_code, check.note],
    ]);
    const lost = `${site.origin}/lost.json: HTTP 503`;
    const incomplete = `The page may be incomplete: its server failed to send data that it requested (${lost}).`;
    assert.deepEqual(found, [
      ['/app', 'checked', 1, null, null],
      ['/lost', 'failed', 0, 'script_missing', null],
      ['/late-data', 'checked', 1, null, null],
      ['/lost-data', 'checked', 0, null, incomplete],
    ]);
  });

  it('has no site credentials in notes', async () => {
    const { notes } = await notesOf({ starting_url: `${site.origin}/waits`, headers: { 'X-Token': SECRET } });
    assert.equal(notes['/waits'], WAITED(`${site.origin}/never?token=${'*'.repeat(SECRET.length)}`));
  });
});

describe('the default device', () => {
  it('has the user agent that the browser sends', async () => {
    const { data } = await service.ask('/devices/default');
    const ofBrowser = site.requests.filter(({ url }) => url.startsWith('/never')).map(({ userAgent }) => userAgent);
    assert.ok(ofBrowser.length > 0);
    assert.deepEqual(new Set(ofBrowser), new Set([data.attributes.user_agent]));
    assert.match(
      data.attributes.user_agent,
      /^Mozilla\/5\.0 .* Chrome\/\d+\.0\.0\.0 .* sitewarden\/.* \(\+mailto:owner@example\.com\)$/,
    );
  });
});
