import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { IPHONE_15 } from '../helpers/devices.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Site credentials in the browser: pages load as for signed-in users, and no other site gets the credentials. */

const SECRETS = ['staff-name', 'open-sesame', 'preview-value-5', 'session-value-7'] as const;
const [USERNAME, PASSWORD, PREVIEW, SESSION] = SECRETS;
const CREDENTIALS = Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64');
const ACCESS = {
  basic_auth: { username: USERNAME, password: PASSWORD },
  headers: { 'X-Preview': PREVIEW },
  cookies: { session: SESSION },
};

/** How many frames of the home page have documents of other sites with scripts. */
const FRAMES_OF_OTHERS = 2;

let service: TestApp;
let site: TestSite;
let other: TestSite;
/** The same server as `other`, but another site: the host differs. */
let elsewhere: string;

const html = (content: string): string =>
  `<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Page</title>${content}</html>`;
const isSignedIn = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.authorization === `Basic ${CREDENTIALS}` &&
  headers['x-preview'] === PREVIEW &&
  headers.cookie === `session=${SESSION}`;

/** Faults that axe finds if content for signed-in users is missing: styles, a frame, a cookie. */
function homePage(): string {
  return html(`
    <link rel=stylesheet href=/style.css>
    <link rel=stylesheet href="${other.origin}/style.css">
    <main><h1>Home</h1><a href=/second>Second</a><div role=img class=unstyled></div>
      <iframe title=Own src=/frame></iframe><iframe title=Other src="${other.origin}/frame"></iframe>
      <iframe title=Data src="data:text/html,<script>fetch('${site.origin}/data?data', { mode: 'no-cors' })</script>"></iframe>
      <iframe title=Same srcdoc="<script>fetch('/data?same')</script>"></iframe>
      <iframe title=Elsewhere src="${elsewhere}/frame"></iframe><iframe title=Away src=/away/frame></iframe>
      <img alt=Away src=/away/image.png><img alt=Round src=/round.png><img alt=Other src="${other.origin}/image.png">
      <input id=field>
    </main>
    <script>
      // Third-party scripts on the page could read it too.
      if (document.cookie === '') document.getElementById('field').ariaLabel = 'Field';
      const fault = () => document.querySelector('main').insertAdjacentHTML('beforeend', '<select></select>');
      fetch('/data').then((answer) => answer.ok || fault(), fault);
      fetch('/own-key', { headers: { Authorization: 'Bearer own' } });
      fetch('/away/data', { mode: 'no-cors' });
      fetch('${other.origin}/data', { mode: 'no-cors', credentials: 'include' });
      new Worker('/worker.js');
      new WebSocket('${other.origin.replace('http', 'ws')}/socket');
    </script>`);
}

/** Repeats what it was sent, as sites do with tokens, and shows more to signed-in users. */
function echoPage(): string {
  return html(`
    <title>Echo ${SESSION}</title>
    <main><h1>Echo</h1><p id=${PREVIEW}>One<p id=${PREVIEW}>Two
      <form><input type=hidden name=token value="${SESSION}" value><input data-key=${CREDENTIALS} value="${PASSWORD}"></form>
    </main>
    <script>
      fetch('/data').then((answer) => {
        const list = document.querySelector('main');
        if (answer.ok) list.insertAdjacentHTML('beforeend', '<a href=/members>Members</a>');
      });
    </script>`).replace('<title>Page</title>', '');
}

before(async () => {
  service = await startTestApp();
  const type = (name: string) => ({ 'content-type': name, 'cache-control': 'max-age=600' });
  other = await startTestSite({
    // Frames of other sites must get no more from the site than strangers do.
    '/frame': (_, response) => {
      const script = `fetch('${site.origin}/data?read', { mode: 'no-cors' }); location = '${site.origin}/nothing'`;
      const image = `<img alt=Waits src=/wait.svg onload="new Image().src = '${site.origin}/data?late'">`;
      response.setHeader('content-type', 'text/html');
      response.end(html(`<main><h1>Other</h1>${image}</main><script>${script}</script>`));
    },
    // Until the frames have been sent to an address without content, and so stay unchanged.
    '/wait.svg': async (_, response) => {
      await until(() => site.requests.filter(({ url }) => url === '/nothing').length >= FRAMES_OF_OTHERS);
      response.setHeader('content-type', 'image/svg+xml');
      response.end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
    },
    '*': { headers: { ...type('text/css'), 'access-control-allow-origin': '*' } },
  });
  elsewhere = other.origin.replace('127.0.0.1', 'localhost');
  const inside: Readonly<Record<string, readonly [type: string, body: string | (() => string)]>> = {
    '/': ['text/html', homePage],
    '/second': [
      'text/html',
      html('<link rel=stylesheet href=/style.css><main><h1>Second</h1><div role=img class=unstyled></div></main>'),
    ],
    '/style.css': ['text/css', "@import '/imported.css';"],
    '/imported.css': ['text/css', '.unstyled { display: none }'],
    '/frame': ['text/html', html('<main><h1>Frame</h1><button></button></main>')],
    '/data': ['text/plain', 'data'],
    '/data?same': ['text/plain', 'data'],
    '/worker.js': ['text/javascript', "fetch('/from-worker')"],
    '/from-worker': ['text/plain', 'data'],
    '/echo': ['text/html', echoPage],
    '/desktops': ['text/html', html('<main><h1>Desktops</h1></main>')],
    '/members': ['text/html', html('<main><h1>Members</h1></main>')],
  };
  site = await startTestSite({
    '*': (request, response) => {
      const path = request.url ?? '/';
      const found = inside[path];
      if (path === '/nothing') response.writeHead(204).end();
      else if (path === '/public') response.writeHead(200, type('text/html')).end(html('<main><h1>Public</h1></main>'));
      // A server that detects phones and rejects them.
      else if (path === '/desktops' && /iPhone/.test(request.headers['user-agent'] ?? ''))
        response.writeHead(403).end();
      else if (!isSignedIn(request)) response.writeHead(401, { 'www-authenticate': 'Basic realm="Staff"' }).end();
      else if (path.startsWith('/away/')) response.writeHead(302, { location: `${other.origin}${path}` }).end();
      else if (path === '/round.png') response.writeHead(302, { location: '/image.png' }).end();
      else if (found === undefined) response.writeHead(404).end();
      else
        response
          .writeHead(200, { ...type(found[0]), 'x-echo': SESSION })
          .end(typeof found[1] === 'string' ? found[1] : found[1]());
    },
  });
});
after(async () => {
  await service?.close();
  await other?.stop();
  await site?.stop();
});

const rulesOf = async (report: Item): Promise<string[]> => {
  const issues = await service.all(`/reports/${report.id}/common_a11y_issues`);
  return issues
    .filter(({ attributes }) => attributes.issue_type === 'error')
    .map(({ attributes }) => attributes.rule_id);
};
const check = async (attributes: object): Promise<Item> => {
  const all = {
    starting_url: `${site.origin}/`,
    rate_limit: 100,
    perform_html_checks: false,
    perform_a11y_checks: true,
  };
  const created = await service.ask('/reports', 'POST', { ...all, ...attributes });
  return service.finished(created.data.id);
};

test('pages are loaded with credentials', async () => {
  // With the user agent of the device, too.
  const report = await check({ ...ACCESS, device_id: IPHONE_15 });
  assert.equal(report.attributes.crawl_error, null);
  assert.deepEqual(report.attributes.checks.a11y.status, { pending: 0, checked: 2, failed: 0 });
  // The fault in the frame is found, and none that would indicate missing content.
  const rules = await rulesOf(report);
  assert.deepEqual(
    ['button-name', 'role-img-alt', 'label', 'select-name'].filter((rule) => rules.includes(rule)),
    ['button-name'],
  );
  const strangers = site.requests.filter((request) => !isSignedIn(request));
  assert.deepEqual([...new Set(strangers.map(({ url }) => url))].toSorted(), [
    '/data?data',
    '/data?late',
    '/data?read',
    '/nothing',
    '/own-key',
  ]);
  for (const path of ['/data?late', '/data?read', '/nothing', '/data?data']) {
    assert.ok(!site.requests.some((request) => request.url === path && isSignedIn(request)), path);
  }
  // What a page itself sends stays as it is.
  const own = site.requests.filter(({ url }) => url === '/own-key');
  assert.deepEqual(
    own.map(({ headers }) => [headers.authorization, headers['x-preview']]),
    [['Bearer own', PREVIEW]],
  );
  assert.ok(site.requests.some(({ url }) => url === '/data?same'));
  assert.ok(site.requests.some(({ url }) => url === '/from-worker'));
  const heard = JSON.stringify(other.requests);
  for (const secret of [...SECRETS, CREDENTIALS]) assert.ok(!heard.includes(secret), secret);
  for (const path of ['/style.css', '/frame', '/away/frame', '/away/image.png', '/away/data', '/data', '/socket']) {
    assert.ok(
      other.requests.some(({ url }) => url === path),
      path,
    );
  }
});

test('concurrent reports use their own credentials and caches', async () => {
  const shared = await startTestSite({
    '/': html(
      '<link rel=stylesheet href=/style.css><main><h1>Page</h1><select class=anna></select><button class=ben></button></main>',
    ),
    // Kept by every cache that may keep it.
    '/style.css': ({ headers }, response) => {
      response.writeHead(200, { 'content-type': 'text/css', 'cache-control': 'public, max-age=3600, immutable' });
      response.end(`.${headers['x-for']} { display: none }`);
    },
  });
  const forPerson = (name: string) =>
    check({ starting_url: `${shared.origin}/`, headers: { 'X-For': name }, cookies: { name } });
  const reports = await Promise.all(['anna', 'ben'].map(forPerson));
  await shared.stop();
  const rules = await Promise.all(reports.map(rulesOf));
  assert.deepEqual(rules, [['button-name'], ['select-name']]);
  const mixed = shared.requests.filter(({ headers }) => headers.cookie !== `name=${headers['x-for']}`);
  assert.deepEqual(mixed, []);
});

test('reports of a schedule use its credentials', async () => {
  site.requests.length = 0;
  const attributes = {
    starting_url: `${site.origin}/second`,
    periodicity: { every: 'deploy' },
    perform_a11y_checks: true,
  };
  const schedule = await service.ask('/schedules', 'POST', { ...attributes, perform_html_checks: false, ...ACCESS });
  const fired = await service.ask(schedule.data.attributes.deploy_hook_url, 'POST');
  const report = await service.finished(fired.data.id);
  assert.deepEqual(report.attributes.checks.a11y.status, { pending: 0, checked: 1, failed: 0 });
  assert.deepEqual(await rulesOf(report), []);
  assert.ok(site.requests.length > 0 && site.requests.every(isSignedIn));
});

test('credentials that a site repeats are masked, and scripts show the links of signed-in users', async () => {
  const report = await check({
    ...ACCESS,
    ...{ starting_url: `${site.origin}/echo`, dynamic_crawler: true, perform_html_checks: true },
    ...{ store_raw_html_checks: true, store_raw_a11y_checks: true },
  });
  assert.equal(report.attributes.crawl_error, null);
  const pages = await service.all(`/reports/${report.id}/web_pages`);
  const [echo] = pages;
  assert.deepEqual(
    pages.map(({ attributes: { url, title } }) => [url, title]),
    [
      [`${site.origin}/echo`, `Echo ${'*'.repeat(SESSION.length)}`],
      [`${site.origin}/members`, 'Page'],
    ],
  );
  const path = `/reports/${report.id}/web_pages/${echo?.id}`;
  const shown = await Promise.all([
    ...['html_issues', 'a11y_issues'].map((list) => service.all(`${path}/${list}`)),
    ...['html', 'a11y'].map((kind) => service.ask(`${path}/raw_${kind}_check`)),
  ]);
  for (const found of shown) {
    const text = JSON.stringify(found);
    assert.ok(text.includes('*********'));
    for (const secret of [PASSWORD, PREVIEW, SESSION, CREDENTIALS]) assert.ok(!text.includes(secret), secret);
  }
  const [htmlIssues, a11yIssues] = shown.map((found) => JSON.stringify(found));
  assert.ok(htmlIssues?.includes(`Duplicate ID “${'*'.repeat(PREVIEW.length)}”.`));
  assert.ok(a11yIssues?.includes(`value=\\"${'*'.repeat(PASSWORD.length)}\\"`));
});

test('pages that refuse the credentials say why', async () => {
  const cookies = { '__Secure-session': SESSION };
  const attributes = { starting_url: `${site.origin}/public`, max_pages: 1, dynamic_crawler: true, cookies };
  const [refused, forbidden] = await Promise.all([
    check(attributes),
    check({ ...ACCESS, starting_url: `${site.origin}/desktops`, max_pages: 1, device_id: IPHONE_15 }),
  ]);
  const errorOf = async ({ id }: Item) =>
    (await service.all(`/reports/${id}/web_pages`))[0]?.attributes.a11y_check.error;
  const reason = /browser rejects one of the report's cookies.* starting URL, or update the cookies/;
  assert.match(await errorOf(refused), reason);
  assert.match(refused.attributes.crawl_error, reason);
  assert.match(await errorOf(forbidden), /returned 403, although the report sends credentials \(basic_auth, headers,/);
});

test('a check whose credentials cannot be used fails with the reason', async () => {
  const { db } = service.app;
  const report = await check({ ...ACCESS, starting_url: `${site.origin}/second` });
  const [page] = await service.all(`/reports/${report.id}/web_pages`);
  await db
    .updateTable('reports')
    .set({ site_access: service.app.credentialStore.box.seal('{}', 'another place') })
    .where('id', '=', report.id)
    .execute();
  await service.ask(`/reports/${report.id}/web_pages/${page?.id}`, 'PATCH', { status: 'pending' });
  await service.finished(report.id);
  const [checked] = await service.all(`/reports/${report.id}/web_pages`);
  assert.match(checked?.attributes.a11y_check.error, /cannot be decrypted: they are damaged, or .* Enter them again/);
});

test('no credentials are left in plain text, in the database or in the log', async () => {
  const { db } = service.app;
  const { rows: tables } = await sql<{ name: string }>`
    SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = current_schema()`.execute(
    db,
  );
  assert.ok(tables.length > 15);
  const dump: string[] = [...service.logLines];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`SELECT t::text AS row FROM ${sql.raw(name)} t`.execute(db);
    dump.push(...rows.map(({ row }) => row));
  }
  const text = dump.join('\n');
  assert.ok(text.includes(site.origin));
  for (const secret of [...SECRETS, CREDENTIALS]) {
    assert.ok(!text.includes(secret), secret);
    assert.ok(!text.includes(Buffer.from(secret).toString('hex')), secret);
  }
});
