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
const NAV = PAGES.map((path) => `<a href="${path}">${path}</a>`).join(' ');
const page = (head: string, body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title>${head}</head><body><main><h1>Page</h1><nav>${NAV}</nav><img src="/plain.svg" alt="">${body}</main></body></html>`;

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

async function report(more: object = {}): Promise<string> {
  const definition = {
    ...{ starting_url: `${site.origin}/`, rate_limit: 100, perform_html_checks: false, perform_a11y_checks: true },
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
    const third = await report();
    assert.deepEqual(await checkedIn(third), []);
    assert.deepEqual(await resultsOf(third), await resultsOf(first));
  });

  it('requests each resource once per report, and none for a report without reuse', async () => {
    await report();
    await report();
    const before = site.requests.length;
    await report();
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
    assert.deepEqual(await checkedIn(await report({ reuse: false })), PAGES.toSorted());
  });

  const edits: readonly (readonly [string, string, Partial<File>, readonly string[]])[] = [
    ['a style sheet', '/style.css', { body: 'p { color: #eee }' }, ['/styled']],
    ['a script', '/draw.js', { body: 'out.innerHTML = "<input>"' }, ['/scripted']],
    ['what a script requests', '/data.json', { body: '{"html": "<input>"}' }, ['/scripted']],
    ['an image', '/picture.svg', { body: '<svg xmlns="http://www.w3.org/2000/svg" width="9"/>' }, ['/drawn']],
    ['a frame', '/frame', { body: '<!DOCTYPE html><html><p>Other</p></html>' }, ['/framed']],
    ['a frame of another site', '/other', { body: '<!DOCTYPE html><html><p>Other</p></html>' }, ['/foreign']],
    ['an image in a frame of another site', '/x.svg', { body: '<svg/>' }, ['/foreign']],
    ['a header of the page', '/drawn', { headers: { 'content-security-policy': "img-src 'none'" } }, ['/drawn']],
  ];
  for (const [what, path, edit, checked] of edits) {
    it(`is found anew on the pages that load ${what} that has changed`, async () => {
      for (let round = 0; round < 2; round += 1) await report();
      change(path, edit);
      const id = await report();
      assert.deepEqual(await checkedIn(id), checked);
      assert.deepEqual(await resultsOf(id), await resultsOf(await report({ reuse: false })));
    });
  }

  const noTag = { etag: '' };
  const page404 = { type: 'text/html', status: 404, headers: noTag };
  const tagged = (etag: string): Partial<File> => ({ headers: { etag } });
  /** What a page loads, edits after which it is the same, and edits after which it is not. */
  const others: readonly (readonly [
    string,
    string,
    Partial<File>,
    readonly Partial<File>[],
    readonly Partial<File>[],
  ])[] = [
    ['a file without a validator', '/style.css', { headers: noTag }, [{}], [{ body: 'p { color: #eee }' }]],
    ['a file with a new validator', '/style.css', tagged('"1"'), [tagged('"2"'), tagged('W/"3"')], []],
    [
      'a script with a new validator',
      '/draw.js',
      tagged('"1"'),
      [tagged('"2"')],
      [{ body: 'out.id = "new"', ...tagged('"3"') }],
    ],
    [
      'a file that must not be stored',
      '/style.css',
      { headers: { ...noTag, 'cache-control': 'no-store' } },
      [{}],
      [{ body: 'p { color: #eee }' }],
    ],
    [
      'a missing style sheet',
      '/style.css',
      { ...page404, isCounted: true },
      [{ body: '<p>Not found' }],
      [{ type: 'text/css', status: 200 }],
    ],
    [
      'a missing image',
      '/picture.svg',
      { ...page404, body: '<p>404', isCounted: true },
      [{ body: '<p>Not found' }],
      [{ type: 'image/svg+xml', status: 200, body: '<svg xmlns="http://www.w3.org/2000/svg"/>', isCounted: false }],
    ],
    ['missing data', '/data.json', { status: 404, headers: noTag }, [{}], [{ body: '{"html": "<input>"}' }]],
    [
      'data with a header that scripts can read',
      '/data.json',
      { headers: { ...noTag, 'x-total': '1' } },
      [{}],
      [{ headers: { ...noTag, 'x-total': '2' } }],
    ],
    [
      'a redirected image',
      '/picture.svg',
      { status: 302, headers: { ...noTag, location: '/plain.svg' } },
      [{ body: 'Moved' }],
      [{ headers: { ...noTag, location: '/x.svg' } }],
    ],
  ];
  for (const [what, path, edit, same, different] of others) {
    it(`is reused if the page loads ${what} that is the same, and only then`, async () => {
      change(path, edit);
      for (let round = 0; round < 2; round += 1) await report();
      for (const now of same) {
        change(path, now);
        assert.deepEqual(await checkedIn(await report()), [], JSON.stringify(now));
      }
      for (const now of different) {
        change(path, now);
        const id = await report();
        assert.equal((await checkedIn(id)).length, 1, JSON.stringify(now));
        assert.deepEqual(await resultsOf(id), await resultsOf(await report({ reuse: false })));
      }
    });
  }

  it('is confirmed by a report without reuse', async () => {
    await report();
    await report({ reuse: false });
    assert.deepEqual(await checkedIn(await report()), []);
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
      await report();
    }
    visited();
    assert.deepEqual(await checkedIn(await report()), []);
    change('/styled', { headers: { 'set-cookie': 'theme=dark; path=/' } });
    assert.deepEqual(await checkedIn(await report()), ['/styled']);
  });

  const unknown: readonly (readonly [string, () => void])[] = [
    [
      'text without a validator whose encoding is not certain',
      () => change('/style.css', { body: 'p::after { content: "é" }', headers: { etag: '' } }),
    ],
    ['a file that is different each time', () => change('/style.css', { isCounted: true, headers: { etag: '' } })],
    ['a file that fails for the moment', () => change('/style.css', { status: 503 })],
    [
      'a WebSocket',
      () => change('/styled', html('', '<script>new WebSocket(location.origin.replace("http", "ws"))</script>')),
    ],
    [
      'a worker in a frame of another site',
      () => {
        change('/other', { body: '<!DOCTYPE html><script>new Worker("data:,")</script>' });
        change('/styled', { body: files.get('/foreign')?.body ?? '' });
        change('/foreign', html('', ''));
      },
    ],
    ['a worker', () => change('/styled', html('', '<script>new Worker("data:,")</script>'))],
    [
      'a request that is no GET',
      () => change('/styled', html('', '<script>fetch("/data.json", { method: "POST" })</script>')),
    ],
  ];
  for (const [what, edit] of unknown) {
    it(`is never reused if the page loads ${what}`, async () => {
      edit();
      for (let round = 0; round < 3; round += 1) await report();
      assert.deepEqual(await checkedIn(await report()), ['/styled']);
    });
  }

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
      await report({ reuse: false });
      differed =
        (await service.app.db.selectFrom('checks').select('kind').where('varies', '=', true).execute()).length > 0;
    }
    assert.ok(differed);
    for (let round = 0; round < 3; round += 1) assert.deepEqual(await checkedIn(await report()), ['/scripted']);
  });

  it('is not reused with screenshots, credentials, another device or another standard', async () => {
    for (let round = 0; round < 3; round += 1) await report();
    for (const settings of [{ store_screenshots: true }, { headers: { 'x-a': 'b' } }, { standard: 'wcag22-aaa' }]) {
      assert.deepEqual(await checkedIn(await report(settings)), PAGES.toSorted(), JSON.stringify(settings));
    }
  });

  it('keeps the thumbnail of the site', async () => {
    const first = await report();
    const thumbnail = () => service.app.db.selectFrom('site_thumbnails').select(['report_id', 'hash']).execute();
    const [before] = await thumbnail();
    const second = await report();
    const [now] = await thumbnail();
    assert.deepEqual([before?.report_id, now?.report_id, now?.hash], [first, second, before?.hash]);
    for (let round = 0; round < 2; round += 1) {
      await report({ perform_a11y_checks: false, perform_html_checks: true });
    }
    assert.deepEqual(await thumbnail(), [now], 'a reused HTML check does not move it');
    const options = ['--no-html', '--rate-limit', '100'];
    const { stdout } = await runHere(['check', `${site.origin}/`, ...options], service.environment);
    assert.match(stdout, /pages found/);
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
    for (let round = 0; round < 10; round += 1) {
      const [path, bodies] = anyOf(choices);
      change(path, { body: anyOf(bodies) });
      const quick = await report();
      reused += PAGES.length - (await checkedIn(quick)).length;
      assert.deepEqual(await resultsOf(quick), await resultsOf(await report({ reuse: false })));
    }
    assert.ok(reused > 10, `${reused} reused`);
  });
});
