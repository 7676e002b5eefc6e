import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { NO_ACCESS, type SiteAccess } from '../../src/domain/site-access.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { crawled, newReport, openTestStore, pagesOf, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { pageWith as page, type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Site credentials in the requests of the spider. */

const ACCESS: SiteAccess = {
  basicAuth: { username: 'staff', password: 'open sesame' },
  headers: { 'x-preview': 'on-please', 'accept-language': 'de' },
  cookies: { session: 'abc', mode: 'dark' },
};
const EXPECTED = {
  authorization: `Basic ${Buffer.from('staff:open sesame').toString('base64')}`,
  'x-preview': 'on-please',
  'accept-language': 'de',
  cookie: 'session=abc; mode=dark',
};

const signedIn = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  Object.entries(EXPECTED).every(([name, value]) => headers[name] === value);
const carriesAny = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  ['authorization', 'x-preview', 'cookie'].some((name) => headers[name] !== undefined);

/** Serves the routes to signed-in requests, and 401 to others. */
function guarded(routes: Readonly<Record<string, string | ((response: ServerResponse) => void)>>) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const route = routes[request.url ?? ''];
    response.setHeader('content-type', 'text/html');
    if (!signedIn(request)) response.writeHead(401, { 'www-authenticate': 'Basic realm="Staff"' }).end('No');
    else if (typeof route === 'function') route(response);
    else response.writeHead(route === undefined ? 404 : 200).end(route ?? 'None');
  };
}
const redirect = (location: string) => (response: ServerResponse) => void response.writeHead(302, { location }).end();

const redirecting = (location: string) => ({ status: 302, headers: { location } });

const store = await openTestStore();
after(() => store.close());

async function outcome(id: string) {
  await crawled(store, id);
  const { status, crawl_error: error } = await reportOf(store, id);
  const pages = await pagesOf(store, id);
  return { status, error, pages, paths: pages.map(({ url }) => new URL(url).pathname) };
}

describe('with a spider at work', () => {
  let crawler: { stop(): Promise<void> };
  before(async () => {
    crawler = await startTestCrawler(store);
  });
  after(() => crawler?.stop());

  test('every request to the site carries the credentials, and none to another origin', async (t) => {
    const other = await siteWith(t, { '*': page() });
    const site = await siteWith(t, {
      '/robots.txt': guarded({
        '/robots.txt': (response) =>
          void response.end(`Sitemap: ${site.origin}/map.xml\nSitemap: ${other.origin}/map.xml`),
      }),
      '*': guarded({
        '/': page(
          '/a',
          '/away',
          '/round',
          `${other.origin}/link`,
          '/there',
          '/user/Log-Out',
          '/out',
          '/?action=logout',
        ),
        '/a': `${page()}<link rel=canonical href="/canonical">`,
        '/canonical': (response) => void response.setHeader('set-cookie', 'session=of-the-site').end(page()),
        '/away': redirect(`${other.origin}/landing`),
        '/round': redirect('/there'),
        '/there': page(),
        // A redirect would end the session too.
        '/out': redirect('/logout.php'),
        '/sign_out': page(),
        '/listed': page(),
        '/map.xml': (response) => {
          response.setHeader('content-type', 'application/xml');
          response.end(
            `<urlset><url><loc>${site.origin}/listed</loc></url><url><loc>${other.origin}/x</loc></url></urlset>`,
          );
        },
      }),
    });
    const id = await newReport(store, `${site.origin}/`, {
      siteAccess: ACCESS,
      respect_robots_txt: true,
      initial_urls: [`${site.origin}/sign_out`],
    });
    const { error, paths, pages } = await outcome(id);
    assert.match(error ?? '', /Sitemaps that .* names could not be read completely, .*: it is on another site\.$/);
    assert.deepEqual(paths.toSorted(), ['/', '/canonical', '/listed', '/sign_out', '/there']);
    const excluded = await store.db
      .selectFrom('discovered_urls')
      .select('url')
      .where('report_id', '=', id)
      .where('outcome', '=', 'excluded')
      .orderBy('position')
      .execute();
    assert.deepEqual(
      excluded.map(({ url }) => url.slice(site.origin.length)),
      ['/user/Log-Out', '/?action=logout', '/logout.php'],
    );
    assert.ok(pages.every(({ http_status: status }) => status === 200));
    const headers = Object.entries(pages.find(({ url }) => url.endsWith('/canonical'))?.headers ?? {});
    assert.ok(
      headers.length > 0 && !JSON.stringify(headers).includes('of-the-site'),
      'a cookie of the site is not kept',
    );
    assert.ok(site.requests.every(signedIn));
    assert.ok(!other.requests.some(carriesAny));

    // A page that is fetched again is fetched in the same way.
    const before = site.requests.length;
    await recheckPage(store.db, id, pages.find(({ url }) => url.endsWith('/there'))?.id ?? 0);
    await crawled(store, id);
    await until(() => site.requests.length > before);
    assert.ok(site.requests.every(signedIn));
  });

  test('a redirect of the starting URL to another origin carries no credentials', async (t) => {
    const other = await siteWith(t, {
      '*': { status: 401, headers: { 'www-authenticate': 'Digest realm=x, Basic realm="Staff"' } },
    });
    const site = await siteWith(t, { '*': guarded({ '/': redirect(`${other.origin}/`) }) });
    const { status, error } = await outcome(await newReport(store, `${site.origin}/`, { siteAccess: ACCESS }));
    assert.equal(status, 'failed');
    assert.match(
      error ?? '',
      /returned 401: it requires .* basic_auth, which is sent to the origin of the starting URL/,
    );
    assert.ok(other.requests.length > 0 && !other.requests.some(carriesAny));
  });

  test('a site that requires credentials is reported, whether they are missing or wrong', async (t) => {
    const site = await siteWith(t, { '*': guarded({ '/': page() }) });
    const errorWith = async (siteAccess: SiteAccess) =>
      (await outcome(await newReport(store, `${site.origin}/`, { siteAccess }))).error;
    assert.match((await errorWith(NO_ACCESS)) ?? '', /The page returned 401: it requires a username and a password/);
    const wrong = { ...ACCESS, basicAuth: { username: 'staff', password: 'close-sesame' } };
    const refused = (await errorWith(wrong)) ?? '';
    assert.match(refused, /401: the site does not accept the report's credentials \(basic_auth, headers, cookies\)/);
    assert.doesNotMatch(refused, /close-sesame|staff/);
  });

  test('a site that refuses the credentials is reported, and guesses are worded as such', async (t) => {
    const other = await siteWith(t, { '*': page('/more') });
    const site = await siteWith(t, {
      '/account': redirecting('/login?next=/account'),
      '/login': page('/imprint'),
      '/round': redirecting('/and-round'),
      '/and-round': redirecting('/round'),
      '/moved': redirecting(`${other.origin}/`),
      '/token': { status: 401 },
      '/forbidden': { status: 403 },
      '/form': `${page('/a')}<form><input type=password></form>`,
      '*': page(),
    });
    const session: SiteAccess = { ...NO_ACCESS, cookies: { session: 'expired' } };
    const token: SiteAccess = { ...NO_ACCESS, headers: { authorization: 'Bearer expired' } };
    const staging: SiteAccess = { ...NO_ACCESS, basicAuth: { username: 'a', password: 'b' } };
    const cases: readonly (readonly [path: string, access: SiteAccess, status: string, error: RegExp | null])[] = [
      [
        '/account',
        session,
        'failed',
        /redirects to .*\/login\?next=\/account, which looks like a login page.*\(cookies\)\. They/,
      ],
      ['/account', token, 'failed', /redirects to .*\/login\?next=\/account, .*\(headers\)\. They .* update them\.$/],
      // Behind HTTP Basic, visitors without an account of the site see this.
      ['/account', staging, 'checking', null],
      ['/login', session, 'checking', null],
      ['/round', session, 'failed', /redirects in a loop\. The site may .* \(cookies\), or may require a cookie/],
      ['/round', NO_ACCESS, 'failed', /redirects in a loop\.$/],
      [
        '/moved',
        session,
        'failed',
        /redirects to .*, another origin, to which .* \(cookies\) are not sent\. To send them, use that URL/,
      ],
      ['/moved', NO_ACCESS, 'checking', null],
      ['/token', token, 'failed', /401: the site does not accept the report's credentials \(headers\), or no longer/],
      ['/token', NO_ACCESS, 'failed', /401: it requires a login; set login, headers or cookies/],
      ['/forbidden', session, 'failed', /403, although the report sends credentials \(cookies\)\. They/],
      ['/forbidden', NO_ACCESS, 'failed', /The page returned 403\.$/],
      ['/form', session, 'checking', /^The starting page asks for a password, .* \(cookies\)\. They .* update them\.$/],
      ['/form', token, 'checking', /^The starting page asks for a password, .* \(headers\)\. They .* update them\.$/],
      ['/form', staging, 'checking', null],
      ['/form', NO_ACCESS, 'checking', null],
    ];
    const found = await Promise.all(
      cases.map(async ([path, siteAccess]) => outcome(await newReport(store, `${site.origin}${path}`, { siteAccess }))),
    );
    for (const [index, [path, , status, error]] of cases.entries()) {
      const { status: foundStatus, error: foundError } = found[index] ?? {};
      assert.equal(foundStatus, status, path);
      if (error === null) assert.equal(foundError, null, path);
      else assert.match(foundError ?? '', error);
    }
  });

  test('a session that ends during the crawl is reported, on the pages and once in the report', async (t) => {
    const site = await siteWith(t, {
      '/': page('/a', '/b', '/c', '/d'),
      '/a': page(),
      '/b': redirecting('/login?next=/b'),
      '/c': { status: 401 },
      '/d': { status: 403 },
    });
    const id = await newReport(store, `${site.origin}/`, {
      siteAccess: { ...NO_ACCESS, cookies: { session: 'short' } },
    });
    const { error, pages, paths } = await outcome(id);
    assert.deepEqual(paths, ['/', '/a', '/b', '/c', '/d']);
    const told = pages.map(({ fetch_error: fault }) => fault ?? '');
    assert.deepEqual(told.slice(0, 2), ['', '']);
    for (const fault of told.slice(2))
      assert.match(fault, /login page|does not accept|although the report sends credentials/);
    assert.match(error ?? '', /3 times in a row .* first at .*\/b: The page redirects to .*the session has ended/);
    assert.ok(!site.requests.some(({ url }) => url.startsWith('/login')));
    // A 403 does not show that the site does not know who asks.
    const rows = await store.db
      .selectFrom('web_pages')
      .select('is_signed_in')
      .where('report_id', '=', id)
      .orderBy('id');
    assert.deepEqual(
      (await rows.execute()).map((row) => row.is_signed_in),
      [true, true, false, false, true],
    );
  });

  test('a session after which each page shows a password field is reported as a guess', async (t) => {
    const form = `${page()}<form><input type=password></form>`;
    const site = await siteWith(t, { '/': page('/a', '/b', '/c', '/d'), '/a': page(), '*': form });
    const id = await newReport(store, `${site.origin}/`, {
      siteAccess: { ...NO_ACCESS, cookies: { session: 'short' } },
    });
    const { error, pages, status } = await outcome(id);
    assert.equal(status, 'checking');
    assert.deepEqual(new Set(pages.map(({ fetch_error: fault }) => fault)), new Set([null]));
    assert.match(error ?? '', /^Starting at .*\/b, 3 pages in a row ask for a password, .* The session may have ended/);
  });

  test('concurrent reports of one site do not mix up their credentials', async (t) => {
    const whose = new Map<string, Set<string | undefined>>();
    const site = await siteWith(t, {
      '*': ({ headers, url = '' }, response) => {
        const tour = headers.cookie ?? '';
        whose.set(tour, (whose.get(tour) ?? new Set()).add(headers['x-for']?.toString()));
        const step = Number(new URLSearchParams(url.split('?')[1]).get('n') ?? 0);
        response.setHeader('content-type', 'text/html').end(page(`/?n=${Math.min(step + 1, 8)}&of=${tour}`));
      },
    });
    const names = ['anna', 'ben', 'cleo'];
    const ids = await Promise.all(
      names.map((name) =>
        newReport(store, `${site.origin}/`, {
          siteAccess: { ...NO_ACCESS, headers: { 'x-for': name }, cookies: { name } },
        }),
      ),
    );
    for (const [index, id] of ids.entries()) {
      const { pages } = await outcome(id);
      assert.equal(pages.length, 9);
      assert.ok(pages.slice(1).every(({ url }) => url.endsWith(`of=name=${names[index]}`)));
    }
    for (const name of names) assert.deepEqual([...(whose.get(`name=${name}`) ?? [])], [name]);
  });
});

test('a crawl that another process continues uses the same credentials', async (t) => {
  const gate = Promise.withResolvers<void>();
  const answers = guarded({ '/': page('/a'), '/a': page('/b'), '/b': page() });
  const site = await siteWith(t, {
    '*': async (request, response) => {
      if (request.url === '/a') await gate.promise;
      answers(request, response);
    },
  });
  const first = await startTestCrawler(store);
  const id = await newReport(store, `${site.origin}/`, { siteAccess: ACCESS });
  await until(() => site.requests.some(({ url }) => url === '/a'));
  await first.stop();
  gate.resolve();
  const second = await startTestCrawler(store);
  const { paths } = await outcome(id);
  await second.stop();
  assert.deepEqual(paths, ['/', '/a', '/b']);
  assert.ok(site.requests.every(signedIn));
});

test('credentials for https are never sent unencrypted', async (t) => {
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
  const addresses = { https: '', http: '' };
  const routes: Routes = {
    '/down': (_, response) => void response.writeHead(302, { location: `${addresses.http}/downgraded` }).end(),
    '/up': (_, response) => void response.writeHead(301, { location: `${addresses.https}/` }).end(),
    '*': (_, response) => {
      response.setHeader('content-type', 'text/html').end(page(`${addresses.http}/linked`, '/down', '/secure'));
    },
  };
  const secure = await siteWith(t, routes, { tls: { key: fixture('key'), cert: fixture('cert') } });
  const clear = await siteWith(t, routes);
  const host = await startDoor(t, secure, clear);
  Object.assign(addresses, { https: `https://${host}`, http: `http://${host}` });
  const crawler = await startTestCrawler(store, undefined, { ca: fixture('cert') });
  t.after(() => crawler.stop());
  const crawl = async (startingUrl: string) => {
    for (const site of [secure, clear]) site.requests.length = 0;
    const { error } = await outcome(await newReport(store, startingUrl, { siteAccess: ACCESS }));
    assert.equal(error, null);
    assert.ok(secure.requests.every(signedIn));
    return clear.requests;
  };
  const paths = (requests: TestSite['requests']): string[] => requests.map(({ url }) => url).toSorted();

  const fromSecure = await crawl(`${addresses.https}/`);
  for (const path of ['/downgraded', '/linked']) assert.ok(paths(fromSecure).includes(path), path);
  assert.ok(!fromSecure.some(carriesAny));
  // With http in the starting URL, credentials are sent over http until the site redirects to https.
  const led = await crawl(`${addresses.http}/up`);
  assert.deepEqual(paths(led.filter(carriesAny)), ['/up']);
  assert.ok(paths(led).includes('/linked'));
  const fromPlain = await crawl(`${addresses.http}/`);
  assert.ok(fromPlain.length > 0 && fromPlain.every(signedIn));
});

/** Serves a site with TLS and one without on the same port. Returns host and port. */
async function startDoor(t: TestContext, secure: TestSite, clear: TestSite): Promise<string> {
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    socket.once('data', (chunk: Buffer) => {
      // The first byte of a TLS handshake (RFC 8446, 5.1).
      const { port } = new URL(chunk[0] === 22 ? secure.origin : clear.origin);
      const onward = connect(Number(port), '127.0.0.1');
      for (const end of [socket, onward]) sockets.add(end.on('error', () => undefined));
      onward.write(chunk);
      socket.pipe(onward).pipe(socket);
    });
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    door.close();
  });
  return `127.0.0.1:${(door.address() as AddressInfo).port}`;
}
