import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { resultOf } from '../helpers/report-result.ts';
import { runHere } from '../helpers/run-here.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * Accessibility results are reused if everything that the page loaded is the same (decision 0139). When a file is the same is in
 * `test/contract/resource-probe.test.ts`, and what is not known to be the same again in `test/contract/page-resources.test.ts`.
 */

interface File {
  type: string;
  body: string;
  /** Without `etag`, a validator that changes with the content. */
  headers?: Record<string, string>;
}

const PAGES = ['/', '/styled', '/scripted', '/framed', '/foreign', '/drawn'];
/** For tests in which one page is enough: each page that is loaded costs a second. */
const ALONE = { max_pages: 1 };
const page = (head: string, body: string): string => {
  const links = PAGES.map((path) => `<a href="${path}">${path}</a>`).join(' ');
  return `<!DOCTYPE html><html lang="en"><head><title>Page</title>${head}</head><body><main><h1>Page</h1><nav>${links}</nav><img src="/plain.svg" alt="">${body}</main></body></html>`;
};

let service: TestApp;
let site: TestSite;
let files: Map<string, File>;
let visits = 0;

const html = (head: string, body: string): File => ({ type: 'text/html; charset=utf-8', body: page(head, body) });
const withoutValidator = { etag: '' };
const svg = { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
const inFrame = (title: string, image: string): File => ({
  type: 'text/html',
  body: `<!DOCTYPE html><html lang="en"><title>${title}</title><img src="${image}"></html>`,
});

function newFiles(): Map<string, File> {
  return new Map(
    Object.entries({
      '/': html('', '<img src="/plain.svg">'),
      '/styled': html('<link rel="stylesheet" href="/style.css">', '<p>Styled</p>'),
      '/scripted': html('', '<div id="out"></div><script src="/draw.js"></script>'),
      '/framed': html('', '<iframe src="/frame" title="Frame"></iframe>'),
      // Shown in a process of its own.
      '/foreign': html(
        '',
        `<iframe src="${site.origin.replace('127.0.0.1', 'localhost')}/other" title="Other"></iframe>`,
      ),
      '/other': inFrame('O', '/x.svg'),
      '/x.svg': svg,
      '/drawn': html('', '<img src="/picture.svg" alt="A picture">'),
      '/plain.svg': svg,
      '/picture.svg': { ...svg, headers: withoutValidator },
      '/style.css': { type: 'text/css', body: 'p { color: #000 }', headers: withoutValidator },
      '/draw.js': {
        type: 'text/javascript',
        body: `fetch('/data.json').then((r) => r.json()).then((d) => { out.innerHTML = d.html })`,
      },
      '/data.json': { type: 'application/json', body: '{"html": "<button></button>"}' },
      '/frame': inFrame('F', 'data:,'),
      // The numbers of fields and buttons differ each time.
      '/varying': html(
        '',
        `<div id="out"></div><script>
          const some = (element) => element.repeat(1 + Math.floor(Math.random() * 100));
          out.innerHTML = some('<input>') + some('<button></button>');
        </script>`,
      ),
    }),
  );
}

/** What servers send anew with each visit, although the page is the same. */
const ofVisit = (): Record<string, string> => {
  visits += 1;
  return {
    ...withoutValidator,
    'set-cookie': `PHPSESSID=${visits}; path=/`,
    'last-modified': new Date(visits * 1e9).toUTCString(),
  };
};

function send(file: File, condition: string | undefined, response: ServerResponse): void {
  const etag = `"${Buffer.from(file.body).toString('base64url')}"`;
  const headers = { 'content-type': file.type, etag, ...file.headers };
  const isKnown = headers.etag !== '' && condition === headers.etag;
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  response.writeHead(isKnown ? 304 : 200, sent).end(isKnown ? undefined : file.body);
}

before(async () => {
  site = await startTestSite({
    '*': (request, response) => {
      const path = request.url ?? '';
      const file = files.get(path);
      if (file === undefined) return void response.writeHead(404).end();
      const headers = path === '/styled' ? { ...ofVisit(), ...file.headers } : file.headers;
      send({ ...file, ...(headers && { headers }) }, request.headers['if-none-match'], response);
    },
  });
  files = newFiles();
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function report(more: object = {}, path = '/'): Promise<string> {
  const definition = {
    ...{ starting_url: site.origin + path, rate_limit: 100, perform_html_checks: false, perform_a11y_checks: true },
    ...more,
  };
  const { id } = (await service.ask('/reports', 'POST', definition)).data;
  assert.equal((await service.finished(id)).attributes.status, 'finished');
  return id;
}

/** The paths of the pages whose results were not reused. */
async function checkedIn(reportId: string): Promise<string[]> {
  const found = await service.all(`/reports/${reportId}/web_pages`);
  const checked = found.filter(({ attributes }: Item) => attributes.a11y_check.reused_from === null);
  return checked.map(({ attributes }) => new URL(attributes.url).pathname).sort();
}

function change(path: string, edit: Partial<File>): void {
  const file = files.get(path);
  assert.ok(file !== undefined);
  files.set(path, { ...file, ...edit });
}

const resultsOf = (reportId: string) => resultOf(service.app.db, reportId);

/** What is changed at a time, each on a page of its own. A result that changes takes two checks. */
const EDITS: readonly Readonly<Record<string, readonly [edit: Partial<File>, page: string]>>[] = [
  {
    '/style.css': [{ body: 'p { color: #eee }' }, '/styled'],
    '/picture.svg': [{ body: '<svg xmlns="http://www.w3.org/2000/svg" width="9"/>' }, '/drawn'],
    // In a frame of another site.
    '/x.svg': [{ body: '<svg/>' }, '/foreign'],
    '/frame': [inFrame('G', 'data:,'), '/framed'],
    // A script requests it.
    '/data.json': [{ body: '{"html": "<input>"}' }, '/scripted'],
  },
  {
    '/other': [inFrame('P', '/x.svg'), '/foreign'],
    '/draw.js': [{ body: 'out.innerHTML = "<select></select>"' }, '/scripted'],
    '/drawn': [{ headers: { 'content-security-policy': "font-src 'none'" } }, '/drawn'],
    '/styled': [{ headers: { 'set-cookie': 'theme=dark; path=/' } }, '/styled'],
  },
];

describe('an accessibility result', () => {
  it('is reused if the page loads the same, with scripts only once it was confirmed', async () => {
    const first = await report();
    assert.deepEqual(await checkedIn(first), PAGES.toSorted());
    const second = await report();
    assert.deepEqual(await checkedIn(second), ['/scripted']);
    const before = site.requests.length;
    const third = await report();
    assert.deepEqual(await checkedIn(third), []);
    assert.deepEqual(await resultsOf(third), await resultsOf(first));
    // Each resource is requested once, for all pages.
    const requests = site.requests.slice(before).map(({ url }) => url);
    const resources = requests.filter((url) => !PAGES.includes(url));
    assert.deepEqual(resources.toSorted(), [
      '/data.json',
      '/draw.js',
      '/frame',
      '/other',
      '/picture.svg',
      '/plain.svg',
      '/style.css',
      '/x.svg',
    ]);
  });

  it('is found anew on the pages that load something that has changed, and on no others', async () => {
    let last = '';
    for (const changes of EDITS) {
      for (const [path, [edit]] of Object.entries(changes)) change(path, edit);
      last = await report();
      const expected = Object.values(changes).map(([, checked]) => checked);
      assert.deepEqual(await checkedIn(last), expected.toSorted());
    }
    // It shows all edits.
    const fresh = await report({ reuse: false });
    assert.deepEqual(await checkedIn(fresh), PAGES.toSorted());
    assert.deepEqual(await resultsOf(last), await resultsOf(fresh));
    // A report without reuse confirms results of pages with scripts, too.
    assert.deepEqual(await checkedIn(await report()), []);
  });

  it('is not reused with screenshots, credentials or another standard', async () => {
    for (const settings of [{ store_screenshots: true }, { headers: { 'x-a': 'b' } }, { standard: 'wcag22-aaa' }]) {
      assert.deepEqual(await checkedIn(await report({ ...ALONE, ...settings })), ['/'], JSON.stringify(settings));
    }
    assert.deepEqual(await checkedIn(await report(ALONE)), []);
  });

  it('keeps the thumbnail of the site', async () => {
    const first = await report({ ...ALONE, reuse: false });
    const thumbnail = () => service.app.db.selectFrom('site_thumbnails').select(['report_id', 'hash']).execute();
    const [before] = await thumbnail();
    const second = await report(ALONE);
    const [now] = await thumbnail();
    assert.deepEqual([before?.report_id, now?.report_id, now?.hash], [first, second, before?.hash]);
    for (let round = 0; round < 2; round += 1) {
      await report({ ...ALONE, perform_a11y_checks: false, perform_html_checks: true });
    }
    assert.deepEqual(await thumbnail(), [now], 'a reused HTML check does not move it');
    const options = ['--no-html', '--max-pages', '1'];
    const { stdout } = await runHere(['check', `${site.origin}/`, ...options], service.environment);
    assert.match(stdout, /1 page found/);
    assert.deepEqual(await thumbnail(), [now], 'a report that is not kept does not take it along');
  });

  it('is not reused once results of the page differ', async () => {
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await checkedIn(await report(ALONE, '/varying')), ['/varying']);
    }
    const varying = service.app.db.selectFrom('checks').select('varies').where('varies', '=', true);
    assert.ok((await varying.execute()).length > 0);
  });
});

/** How a page is reported whose document stays the same, but whose result does not (decision 0135). */
describe('a page that loads something else', () => {
  const PAGE = `<!doctype html><html lang="en"><head><title>Page</title><link rel="stylesheet" href="/style.css">
    </head><body><main><h1>Page</h1><p>Some text</p></main><script src="/draw.js"></script></body></html>`;
  const LOW_CONTRAST = 'p { color: #ddd; background: #fff }';
  let changing: TestSite;
  const IMAGE = '<img src="data:,">';
  const BUTTON = '<button></button>';
  const FIELD = '<input>';
  /** What the script draws, one for each time that the page is opened. The last one stays. */
  let drawn = [IMAGE];
  let style = '';

  before(async () => {
    changing = await startTestSite({
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
  });
  after(() => changing?.stop());

  /** Checks the site, and returns the changed issue types, and how often the page was opened. */
  async function check(): Promise<{ changes: string[]; opened: number }> {
    const before = changing.requests.length;
    const definition = { starting_url: `${changing.origin}/`, perform_html_checks: false, perform_a11y_checks: true };
    const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
    await service.compared(id);
    const changed = (await service.all(`/reports/${id}/changes`)).filter(
      ({ attributes }) => attributes.change !== 'persisting',
    );
    return {
      changes: changed.map(({ attributes: { change, cause, rule_id: rule } }) => `${change} ${rule} ${cause}`).sort(),
      opened: changing.requests.slice(before).filter(({ url }) => url === '/draw.js').length,
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
});
