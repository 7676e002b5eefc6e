import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRefusalWatch, errorAtStart, type StartedReport } from '../../src/crawling/crawl-error.ts';
import { type SentAccess, sentAccess } from '../../src/domain/access-refusal.ts';
import type { Membership } from '../../src/domain/crawl.ts';
import { type Failure, fullSentenceOf, sentenceOf } from '../../src/domain/failures/failure.ts';
import type { DocumentPage, FetchedPage } from '../../src/domain/fetched-page.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { ANSWERED_404, saying } from '../helpers/failures.ts';

const SITE = 'https://site.example';

/** `crawl_error` for the response of the starting URL. */
function told(
  end: FetchedPage,
  changes: Partial<StartedReport> = {},
  sent: SentAccess | null = null,
  includes: (url: string) => boolean = () => true,
): string | null {
  const report: StartedReport = {
    starting_url: `${SITE}/`,
    initial_urls: [],
    max_pages: 10,
    dynamic_crawler: true,
    site_access: null,
    ...changes,
  };
  const membershipOf = (url: string): Membership =>
    url.startsWith(SITE)
      ? url.includes('/private/')
        ? 'excluded'
        : includes(url)
          ? 'inside'
          : 'not_included'
      : 'off_site';
  return fullSentenceOf(errorAtStart(end, report, { membershipOf, includes }, sent));
}

function page(links: readonly string[], more: Partial<DocumentPage> = {}): FetchedPage {
  const document = { url: `${SITE}/`, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.of() };
  const stored = { hash: Buffer.of(), size: 0, body: Buffer.of() };
  return {
    kind: 'document',
    httpStatus: 200,
    title: null,
    links,
    hashRoutes: 0,
    canonical: null,
    document,
    stored,
    ...more,
  };
}

test('a starting page with links, or meant to be the only page, has no error', () => {
  assert.equal(told(page([`${SITE}/`, `${SITE}/a`])), null);
  assert.equal(told(page([]), { max_pages: 1 }), null);
  assert.equal(told(page([]), { initial_urls: [`${SITE}/a`] }), null);
});

test('a starting page without other pages says why', () => {
  const alone = 'The starting page has no links to other pages of its site, so it is the only page of this report.';
  for (const links of [[], [`${SITE}/`], ['https://elsewhere.example/']]) assert.equal(told(page(links)), alone);
  assert.equal(
    told(page([]), { dynamic_crawler: false }),
    `${alone} The dynamic crawler also finds links that scripts create.`,
  );
  const routed = told(page(['https://elsewhere.example/'], { hashRoutes: 2 }), { dynamic_crawler: false });
  assert.match(
    routed ?? '',
    /^The links of the starting page point to routes after # .* the only page of this report\.$/,
  );
  assert.equal(told(page(['https://elsewhere.example/'], { hashRoutes: 1 })), alone, 'most lead elsewhere');
  // No hint about the dynamic crawler, which would find nothing either.
  assert.match(
    told(page([`${SITE}/private/a`])) ?? '',
    /^The starting page links only to excluded pages of its site, so it is the only page of this report\.$/,
  );
  assert.equal(told(page([`${SITE}/logout`]), { site_access: Buffer.of(), dynamic_crawler: true }), alone);
  const signedIn = { starting_url: `${SITE}/start`, site_access: Buffer.of() };
  assert.match(told(page([]), signedIn) ?? '', /redirects to https:\/\/site\.example\/, which .* credentials/);
});

test('a starting page that leads to no included page says so', () => {
  const includes = (url: string): boolean => url.includes('/shop/');
  const start = page([`${SITE}/a`, `${SITE}/private/b`]);
  const none =
    'The starting page and the pages that it links to are not included, so the report has no pages. Change the inclusions, or add an initial URL that links to included pages.';
  assert.equal(told(start, {}, null, includes), none);
  assert.equal(told(start, { max_pages: 1 }, null, includes), none);
  assert.equal(told(page([]), {}, null, includes), none);
  assert.equal(told(start, { initial_urls: [`${SITE}/b`] }, null, includes), null);
  assert.equal(told(page([`${SITE}/a`, `${SITE}/shop/`]), {}, null, includes), null);
  assert.equal(
    told(start, {}, null, (url) => url === `${SITE}/`),
    'The starting page links only to pages of its site that are not included, so it is the only page of this report.',
  );
});

const session = sentAccess({ ...NO_ACCESS, cookies: { session: 'short' } });
const basicAuth = sentAccess({ ...NO_ACCESS, basicAuth: { username: 'staff', password: 'open sesame' } });

test('a starting page with a password field is reported if the report sends a session', () => {
  const form = page([], { hasPasswordField: true });
  const words =
    'The starting page asks for a password, although the report sends credentials (cookies). They may not be accepted, or may have expired: update them.';
  assert.equal(told(form, { site_access: Buffer.of() }, session), words);
  assert.equal(told(page([`${SITE}/a`], { hasPasswordField: true }), { max_pages: 1 }, session), words);
  assert.match(told(form, {}, basicAuth) ?? '', /^The starting page has no links/);
  assert.match(told(form) ?? '', /^The starting page has no links/);
  assert.equal(told(page([`${SITE}/a`]), {}, session), null);
  const document = { url: `${SITE}/login`, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.of() };
  assert.equal(told(page([`${SITE}/a`], { hasPasswordField: true, document }), {}, session), null, 'it was asked for');
  const rendering = { hasRun: true, error: saying('Why.') };
  assert.match(
    told(page([], { hasPasswordField: true, rendering }), {}, session) ?? '',
    /update them\. The starting page could not be rendered.* Why\.$/,
  );
});

test('a starting URL that leads to a login form is reported if the report sends no credentials', () => {
  const document = { url: `${SITE}/login`, httpStatus: 200, contentType: 'text/html', headers: [], body: Buffer.of() };
  const form = page([`${SITE}/imprint`], { hasPasswordField: true, document });
  assert.equal(
    told(form),
    `The starting URL leads to ${SITE}/login, which asks for a password, so pages behind it are missing. To check them, give the site a login.`,
  );
  assert.equal(told(form, { starting_url: `${SITE}/login` }), null, 'it was asked for');
  assert.equal(told(page([`${SITE}/imprint`], { document })), null);
});

test('a response that is not a page says what it was', () => {
  const error = { httpStatus: 404, contentType: '', failure: ANSWERED_404 };
  assert.equal(told({ kind: 'failed', ...error }), 'The starting URL could not be checked. The page returned 404.');
  const type = (contentType: string) =>
    told({ kind: 'not_html', httpStatus: 200, contentType, failure: saying('') }) ?? '';
  assert.match(type('application/pdf'), /the response has the content type application\/pdf\. Start from a page/);
  assert.match(type(''), /the response has no content type\./);
  assert.match(told({ kind: 'robots', failure: saying('No') }) ?? '', /^No\. The report obeys robots\.txt/);
});

test('a starting page that could not be rendered is reported, regardless of its links', () => {
  const failed = (ofReport?: Failure) =>
    page([`${SITE}/a`], { rendering: { hasRun: true, error: saying('Why.'), ofReport } });
  assert.match(told(failed()) ?? '', /^The starting page could not be rendered.* Why\.$/);
  assert.equal(told(failed(saying('No browser.'))), 'No browser.');
});

const sitemap = (
  listed: readonly string[],
  problems: readonly (string | null)[] = [],
  message: string | null = null,
  includes?: (url: string) => boolean,
) =>
  told(
    {
      kind: 'sitemap',
      sitemap: { lists: 'pages', urls: [], problem: null },
      httpStatus: 200,
      listed: listed.map((url) => ({ url, linkedFrom: `${SITE}/map.xml` })),
      sitemaps: bad(problems),
      failure: message === null ? null : saying(message),
    },
    {},
    null,
    includes,
  );
const bad = (problems: readonly (string | null)[]) =>
  problems.map((problem, number) => {
    return {
      url: `/${number}`,
      linkedFrom: `${SITE}/map.xml`,
      redirects: [],
      httpStatus: 200,
      problem: problem === null ? null : saying(problem),
    };
  });

test('a sitemap has its problems and the problems of listed sitemaps, and says when it lists no page', () => {
  assert.equal(sitemap([`${SITE}/a`], [null]), null);
  assert.equal(
    sitemap([`${SITE}/a`], ['no', null, 'no', 'no', 'no', 'no']),
    'Sitemaps that it lists could not be read completely, so pages may be missing: /0: no; /2: no; /3: no; and 2 more.',
  );
  assert.equal(
    sitemap([`${SITE}/a`], [], 'its XML is invalid on line 3, after 1 URL'),
    'The sitemap could not be read completely, so pages may be missing: its XML is invalid on line 3, after 1 URL.',
  );
  assert.equal(
    sitemap([`${SITE}/private/a`], ['no']),
    'The sitemap lists only excluded pages. ' +
      'Sitemaps that it lists could not be read completely, so pages may be missing: /0: no.',
  );
  assert.equal(sitemap([]), 'The sitemap lists no pages of its own site.');
  const listed = [`${SITE}/a`, `${SITE}/private/a`];
  assert.equal(
    sitemap(listed, [], null, () => false),
    'The sitemap lists no pages that are included.',
  );
});

test('sitemaps of robots.txt count as links, and have their problems', () => {
  const listed = [{ url: `${SITE}/a`, linkedFrom: `${SITE}/map.xml` }];
  assert.equal(told(page([], { listed, sitemaps: bad([null]) })), null);
  const words =
    "Sitemaps that the site's robots.txt names could not be read completely, so pages may be missing: /0: no.";
  assert.equal(told(page([], { listed, sitemaps: bad(['no']) })), words);
  assert.match(told(page([], { sitemaps: bad(['no']) })) ?? '', /^The starting page has no links .* /);
  assert(told(page([], { sitemaps: bad(['no']) }))?.endsWith(` ${words}`));
});

test('a site that stops accepting credentials is reported once, single refusing pages are not', () => {
  const failed = {
    kind: 'failed',
    httpStatus: 403,
    contentType: '',
    failure: saying('No'),
    refusesAccess: true,
  } as const;
  const fine = page([]);
  assert.ok(fine.kind === 'document');
  const toldIn = (turns: readonly number[], isTold = false): string[] => {
    const watch = createRefusalWatch(isTold, () => session);
    const sentences = turns.map((turn) =>
      watch([{ url: `${SITE}/${turn}`, turn, content: turn % 10 ? failed : fine }]),
    );
    return sentences.flatMap((failure) => (failure === undefined ? [] : sentenceOf(failure)));
  };
  assert.deepEqual(toldIn([2, 3, 10, 11, 12, 20]), []);
  const [sentence, ...more] = toldIn([2, 10, 11, 12, 13, 14, 15, 16]);
  assert.match(
    sentence ?? '',
    /3 times in a row despite the report's credentials, first at https:\/\/site\.example\/11: No\./,
  );
  assert.deepEqual(more, []);
  assert.deepEqual(toldIn([2, 3, 4], true), []);
  // The sentence about the starting URL stays.
  assert.deepEqual(toldIn([1, 2, 3, 4]), []);
});

test('three pages in a row with a password field are reported once, if the report sends a session', () => {
  const fields: Readonly<Record<string, FetchedPage>> = {
    '-': page([]),
    f: page([], { hasPasswordField: true }),
    l: page([], { hasPasswordField: true }),
    x: { kind: 'failed', httpStatus: 404, contentType: '', failure: saying('No') },
  };
  /** @param crawl a letter for each page: `-` no field, `f` a password field, `l` one on a login page, `x` an error. */
  const toldIn = (crawl: string, sent = session, firstTurn = 1): string[] => {
    const watch = createRefusalWatch(false, () => sent);
    return [...crawl].flatMap((letter, index) => {
      const content = fields[letter];
      assert.ok(content?.kind === 'document' || content?.kind === 'failed');
      const url = `${SITE}/${letter === 'l' ? 'login?page=' : ''}${index + 1}`;
      const failure = watch([{ url, turn: firstTurn + index, content }]);
      return failure === undefined ? [] : sentenceOf(failure);
    });
  };
  assert.deepEqual(toldIn('-ff-ff-'), []);
  assert.deepEqual(toldIn('-fllll-f'), []);
  assert.deepEqual(toldIn('-ffffff', basicAuth), []);
  assert.deepEqual(toldIn('-ffffff', null), []);
  // The sentence about the starting URL stays.
  assert.deepEqual(toldIn('fffffff'), []);
  const [sentence, ...more] = toldIn('-f-fxlffff-fff');
  assert.match(
    sentence ?? '',
    /^Starting at https:\/\/site\.example\/4, 3 pages in a row ask .* \(cookies\)\. The session/,
  );
  assert.deepEqual(more, []);
  assert.equal(toldIn('fff', session, 5).length, 1, 'a crawl that continues after a kill');
});
