import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyTables } from '../helpers/empty-tables.ts';
import { randomFrom } from '../helpers/random.ts';
import { resultOf } from '../helpers/report-result.ts';
import { runHere } from '../helpers/run-here.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Accessibility results are reused if everything that the page loaded is the same (decision 0139). */

interface File {
  type: string;
  body: string;
  headers?: Record<string, string>;
  status?: number;
  /** Whether each response is different. */
  isCounted?: boolean;
}

const PAGES = ['/', '/styled', '/scripted', '/framed', '/foreign', '/drawn'];
/** For tests in which one page is enough: each page that is loaded costs a second. */
const ALONE = { max_pages: 1 };
const page = (head: string, body: string, linked: readonly string[] = PAGES): string => {
  const links = linked.map((path) => `<a href="${path}">${path}</a>`).join(' ');
  return `<!DOCTYPE html><html lang="en"><head><title>Page</title>${head}</head><body><main><h1>Page</h1><nav>${links}</nav><img src="/plain.svg" alt="">${body}</main></body></html>`;
};

let service: TestApp;
let site: TestSite;
let files: Map<string, File>;
let counter = 0;

const html = (head: string, body: string): File => ({ type: 'text/html; charset=utf-8', body: page(head, body) });

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
      '/other': { type: 'text/html', body: '<!DOCTYPE html><html lang="en"><title>O</title><img src="/x.svg"></html>' },
      '/x.svg': { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      '/drawn': html('', '<img src="/picture.svg" alt="A picture">'),
      '/plain.svg': { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      '/picture.svg': { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
      '/style.css': { type: 'text/css', body: 'p { color: #000 }' },
      '/draw.js': {
        type: 'text/javascript',
        body: `fetch('/data.json').then((r) => r.json()).then((d) => { out.innerHTML = d.html })`,
      },
      '/data.json': { type: 'application/json', body: '{"html": "<button></button>"}' },
      '/frame': { type: 'text/html', body: '<!DOCTYPE html><html lang="en"><title>F</title><img src="data:,"></html>' },
    }),
  );
}

/** As servers do: the tag of a file changes with its content. */
function send(file: File, condition: string | undefined, response: ServerResponse): void {
  const etag = `"${Buffer.from(file.body).toString('base64url').slice(-40)}${file.body.length}"`;
  const headers = { 'content-type': file.type, etag, ...file.headers };
  const isKnown = headers.etag !== '' && condition === headers.etag;
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  counter += 1;
  const body = file.isCounted ? `${file.body}/* ${counter} */` : file.body;
  response.writeHead(isKnown ? 304 : (file.status ?? 200), sent).end(isKnown ? undefined : body);
}

before(async () => {
  site = await startTestSite({
    '*': (request, response) => {
      const file = files.get(request.url ?? '');
      if (file === undefined) return void response.writeHead(404).end();
      send(file, request.headers['if-none-match'], response);
    },
  });
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
});
beforeEach(async () => {
  files = newFiles();
  await emptyTables(service.app.db, 'reports');
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
    assert.deepEqual(await checkedIn(await report({ ...ALONE, reuse: false })), ['/']);
  });

  /** What is changed at a time, each on a page of its own. */
  const edits: readonly Readonly<Record<string, readonly [what: string, edit: Partial<File>, page: string]>>[] = [
    {
      '/style.css': ['a style sheet', { body: 'p { color: #eee }' }, '/styled'],
      '/picture.svg': ['an image', { body: '<svg xmlns="http://www.w3.org/2000/svg" width="9"/>' }, '/drawn'],
      '/x.svg': ['an image in a frame of another site', { body: '<svg/>' }, '/foreign'],
    },
    {
      '/frame': ['a frame', { body: '<!DOCTYPE html><html><p>Other</p></html>' }, '/framed'],
      '/data.json': ['what a script requests', { body: '{"html": "<input>"}' }, '/scripted'],
    },
    {
      '/other': ['a frame of another site', { body: '<!DOCTYPE html><html><p>Other</p></html>' }, '/foreign'],
      '/draw.js': ['a script', { body: 'out.innerHTML = "<input>"' }, '/scripted'],
      '/drawn': ['a header of the page', { headers: { 'content-security-policy': "img-src 'none'" } }, '/drawn'],
    },
  ];
  it('is found anew on the pages that load something that has changed, and on no others', async () => {
    await report();
    await report();
    let last = '';
    for (const changes of edits) {
      for (const [path, [, edit]] of Object.entries(changes)) change(path, edit);
      last = await report();
      const expected = Object.values(changes).map(([, , checked]) => checked);
      assert.deepEqual(await checkedIn(last), expected.toSorted());
    }
    // It shows all edits.
    assert.deepEqual(await resultsOf(last), await resultsOf(await report({ reuse: false })));
  });

  const noTag = { etag: '' };
  const css = { type: 'text/css', body: 'p { color: #000 }' };
  const svg = { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
  const js = { type: 'text/javascript', body: 'out.innerHTML = "<button></button>"' };
  const json = { type: 'application/json', body: '{"html": "<button></button>"}' };
  const missing = { type: 'text/html', status: 404, headers: noTag, isCounted: true };
  const tagged = (etag: string): Partial<File> => ({ headers: { etag } });
  const loads: Readonly<Record<string, (path: string) => File>> = {
    css: (path) => html(`<link rel="stylesheet" href="${path}">`, '<p>Styled</p>'),
    svg: (path) => html('', `<img src="${path}" alt="A picture">`),
    js: (path) => html('', `<div id="out"></div><script src="${path}"></script>`),
    json: (path) =>
      html(
        '',
        `<div id="out"></div><script>fetch('${path}').then((r) => r.json()).then((d) => { out.innerHTML = d.html })</script>`,
      ),
  };
  /** A file that only one page loads, edits after which the page is the same, and an edit after which it is not. */
  const others: readonly (readonly [string, File, readonly Partial<File>[], Partial<File> | null])[] = [
    ['without-a-validator.css', { ...css, headers: noTag }, [{}], { body: 'p { color: #eee }' }],
    ['with-a-new-validator.css', { ...css, ...tagged('"1"') }, [tagged('"2"'), tagged('W/"3"')], null],
    [
      'with-a-new-validator.js',
      { ...js, ...tagged('"1"') },
      [tagged('"2"')],
      { body: 'out.id = "new"', ...tagged('"3"') },
    ],
    [
      'that-must-not-be-stored.css',
      { ...css, headers: { ...noTag, 'cache-control': 'no-store' } },
      [{}],
      { body: 'p { color: #eee }' },
    ],
    ['missing.css', { ...css, ...missing }, [{ body: '<p>Not found' }], { type: 'text/css', status: 200 }],
    [
      'missing.svg',
      { ...svg, ...missing, body: '<p>404' },
      [{ body: '<p>Not found' }],
      { ...svg, status: 200, isCounted: false },
    ],
    ['missing.json', { ...json, status: 404, headers: noTag }, [{}], { body: '{"html": "<input>"}' }],
    [
      'with-a-header-that-scripts-can-read.json',
      { ...json, headers: { ...noTag, 'x-total': '1' } },
      [{}],
      { headers: { ...noTag, 'x-total': '2' } },
    ],
    [
      'redirected.svg',
      { ...svg, status: 302, headers: { ...noTag, location: '/plain.svg' } },
      [{ body: 'Moved' }],
      { headers: { ...noTag, location: '/x.svg' } },
    ],
  ];
  it('is reused if each file that the page loads is the same, and only then', async () => {
    const pages = others.map(([name]) => `/page-${name}`);
    for (const [name, file] of others) {
      files.set(`/${name}`, file);
      files.set(`/page-${name}`, loads[name.split('.')[1] ?? '']?.(`/${name}`) ?? assert.fail(name));
    }
    files.set('/', { type: 'text/html', body: page('', '', pages) });
    const all = { max_pages: 1 + pages.length };
    for (let round = 0; round < 2; round += 1) await report(all);
    for (let step = 0; others.some(([, , same]) => step < same.length); step += 1) {
      for (const [name, , same] of others) change(`/${name}`, same[step] ?? {});
      assert.deepEqual(await checkedIn(await report(all)), []);
    }
    for (const [name, , , different] of others) change(`/${name}`, different ?? {});
    const id = await report(all);
    const changed = others.flatMap(([name, , , different]) => (different === null ? [] : [`/page-${name}`]));
    assert.deepEqual(await checkedIn(id), changed.toSorted());
    assert.deepEqual(await resultsOf(id), await resultsOf(await report({ ...all, reuse: false })));
  });

  it('is confirmed by a report without reuse', async () => {
    await report(ALONE, '/scripted');
    await report({ ...ALONE, reuse: false }, '/scripted');
    assert.deepEqual(await checkedIn(await report(ALONE, '/scripted')), []);
  });

  it('does not depend on the cookies and dates of a visit', async () => {
    let visit = 0;
    const visited = (): void => {
      visit += 1;
      const headers = {
        'set-cookie': `PHPSESSID=${visit}; path=/`,
        'last-modified': new Date(visit * 1e9).toUTCString(),
      };
      change('/styled', { headers });
    };
    for (let round = 0; round < 2; round += 1) {
      visited();
      await report(ALONE, '/styled');
    }
    visited();
    assert.deepEqual(await checkedIn(await report(ALONE, '/styled')), []);
    change('/styled', { headers: { 'set-cookie': 'theme=dark; path=/' } });
    assert.deepEqual(await checkedIn(await report(ALONE, '/styled')), ['/styled']);
  });

  it('is never reused if the page does something whose result is unknown, unlike its neighbors', async () => {
    const scripted = (script: string): File => html('', `<script>${script}</script>`);
    const styled = (name: string, file: Partial<File>): File => {
      files.set(`/${name}.css`, { ...css, ...file });
      return html(`<link rel="stylesheet" href="/${name}.css">`, '<p>Styled</p>');
    };
    const unknown = {
      '/loads-text-whose-encoding-is-not-certain': styled('a', { body: 'p::after { content: "é" }', headers: noTag }),
      '/loads-a-file-that-is-different-each-time': styled('b', { isCounted: true, headers: noTag }),
      '/loads-a-file-that-fails-for-the-moment': styled('c', { status: 503 }),
      '/opens-a-web-socket': scripted('new WebSocket(location.origin.replace("http", "ws"))'),
      '/starts-a-worker': scripted('new Worker("data:,")'),
      '/starts-a-worker-in-a-frame-of-another-site': files.get('/foreign') ?? assert.fail(),
      '/sends-a-request-that-is-no-get': scripted('fetch("/data.json", { method: "POST" })'),
    };
    change('/other', { body: '<!DOCTYPE html><script>new Worker("data:,")</script>' });
    for (const [path, file] of Object.entries(unknown)) files.set(path, file);
    const paths = Object.keys(unknown);
    files.set('/', { type: 'text/html', body: page('', '', ['/styled', ...paths]) });
    const all = { max_pages: 2 + paths.length };
    // The third report reuses what the second has confirmed.
    for (let round = 0; round < 2; round += 1) await report(all);
    assert.deepEqual(await checkedIn(await report(all)), paths.toSorted());
  });

  it('is not reused once results of the page differ', async () => {
    change(
      '/scripted',
      html(
        '',
        '<p id="out"></p><script>out.innerHTML = Math.random() < 0.5 ? "<input>" : "<button></button>"</script>',
      ),
    );
    let differed = false;
    for (let round = 0; round < 12 && !differed; round += 1) {
      await report({ ...ALONE, reuse: false }, '/scripted');
      differed =
        (await service.app.db.selectFrom('checks').select('kind').where('varies', '=', true).execute()).length > 0;
    }
    assert.ok(differed);
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await checkedIn(await report(ALONE, '/scripted')), ['/scripted']);
    }
  });

  it('is not reused with screenshots, credentials, another device or another standard', async () => {
    for (let round = 0; round < 2; round += 1) await report(ALONE);
    for (const settings of [{ store_screenshots: true }, { headers: { 'x-a': 'b' } }, { standard: 'wcag22-aaa' }]) {
      assert.deepEqual(await checkedIn(await report({ ...ALONE, ...settings })), ['/'], JSON.stringify(settings));
    }
    assert.deepEqual(await checkedIn(await report(ALONE)), []);
  });

  it('keeps the thumbnail of the site', async () => {
    const first = await report(ALONE);
    const thumbnail = () => service.app.db.selectFrom('site_thumbnails').select(['report_id', 'hash']).execute();
    const [before] = await thumbnail();
    const second = await report(ALONE);
    const [now] = await thumbnail();
    assert.deepEqual([before?.report_id, now?.report_id, now?.hash], [first, second, before?.hash]);
    for (let round = 0; round < 2; round += 1) {
      await report({ perform_a11y_checks: false, perform_html_checks: true });
    }
    assert.deepEqual(await thumbnail(), [now], 'a reused HTML check does not move it');
    const options = ['--no-html', '--max-pages', '1'];
    const { stdout } = await runHere(['check', `${site.origin}/`, ...options], service.environment);
    assert.match(stdout, /1 page found/);
    assert.deepEqual(await thumbnail(), [now], 'a report that is not kept does not take it along');
  });
});

describe('a report with reused accessibility results', () => {
  it('equals one without after random edits of pages, style sheets, scripts and images', async () => {
    const random = randomFrom();
    const anyOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const choices: readonly (readonly [string, readonly string[]])[] = [
      ['/style.css', ['p { color: #000 }', 'p { color: #eee }', 'p { display: none }', 'h1 { color: #ddd }']],
      ['/draw.js', ['out.innerHTML = "<input>"', 'out.textContent = "A"', 'out.innerHTML = "<button></button>"']],
      [
        '/picture.svg',
        ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<svg xmlns="http://www.w3.org/2000/svg" width="7"/>'],
      ],
      [
        '/frame',
        ['<!DOCTYPE html><html lang="en"><title>F</title><img src="data:,"></html>', '<!DOCTYPE html><p>G</p>'],
      ],
      [
        '/drawn',
        ['<img src="/picture.svg">', '<img src="/picture.svg" alt="A">', '<input>'].map((body) => page('', body)),
      ],
    ];
    let reused = 0;
    for (let round = 0; round < 2; round += 1) {
      let quick = '';
      for (let edit = 0; edit < 3; edit += 1) {
        const [path, bodies] = anyOf(choices);
        change(path, { body: anyOf(bodies) });
        quick = await report();
        reused += PAGES.length - (await checkedIn(quick)).length;
      }
      assert.deepEqual(await resultsOf(quick), await resultsOf(await report({ reuse: false })));
    }
    assert.ok(reused > 5, `${reused} reused`);
  });
});
