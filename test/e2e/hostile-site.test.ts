import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { AppLimits } from '../../src/app.ts';
import { browserMemoryBytes, browserMemoryHardBytes, pageMemoryShare } from '../../src/browser/limits.ts';
import { validatorMemoryBytes } from '../../src/checks/html/limits.ts';
import { memoryTotalBytes, serviceMemoryBytes } from '../../src/platform/limits.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { HOSTILE_PATHS, hostileRoutes, ORDINARY } from '../helpers/hostile-site.ts';
import { type Memory, watchMemory } from '../helpers/memory.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * A report of a hostile site: every page ends as docs/hostile-sites.md says,
 * ordinary pages and other reports get the same results as without it, and memory stays within limits.
 */

/**
 * Shorter than in a service, to save time, but many times what an ordinary page takes on a machine
 * with ten times more work than cores.
 */
const limits = {
  http: { headersTimeoutMs: 10_000, bodyIdleTimeoutMs: 10_000, requestTimeoutMs: 40_000 },
  // Longer: the only script without an end fills memory first.
  a11y: { unresponsiveMs: 90_000 },
  // As on two cores, on every machine.
  browser: { memoryBytes: browserMemoryBytes, memoryHardBytes: browserMemoryHardBytes },
} satisfies AppLimits;
/** Under a minute, unless the machine is busy. */
const HOOK_OPTIONS = { timeout: 900_000 };
/** What a page can allocate above the limit before the next measurement. */
const browserOvershootBytes = 300_000_000;

const INCOMPLETE =
  'The server closed the connection before the page was complete: see its log, and check that Content-Length is right';
const TOO_LARGE = 'The page is larger than 10 MiB: split it into several pages';
const NO_HTTP = "The server's response is not valid HTTP: `curl -v` may show what is wrong with it";
const NOT_UNPACKED = 'The page could not be decompressed: its Content-Encoding does not match its content';
const ENDLESS_SCRIPT =
  'A script on the page runs endlessly (or keeps opening dialogs), so the page never becomes usable. ' +
  'Open the page in a browser and inspect its scripts with the developer tools.';
const TOO_MUCH_MEMORY =
  'The page used more memory than allowed and was stopped. Open it in a browser and inspect its memory with the developer tools.';
/** Its script ends at whichever limit it reaches first. */
const FILLS_MEMORY = new RegExp(`^(${[TOO_MUCH_MEMORY, ENDLESS_SCRIPT].map(RegExp.escape).join('|')})$`);
/** Both checks find the image of every page, and nothing else: errors/warnings. */
const CHECKED = ['1/0', '1/0'] as const;

/** The pattern of an outcome that depends on chance: the validator guesses languages, and a slow machine fills memory slowly. */
type Outcome = string | readonly [html: string | RegExp, a11y: string | RegExp];

/** The outcome of each page: why it was not fetched, or per check errors/warnings or the failure. */
const EXPECTED: Readonly<Record<string, Outcome>> = {
  '/': ['0/0', '0/0'],
  '/redirect-circle/back': 'The page redirects in a loop',
  '/redirect-without-end/10': 'The page redirects more than 10 times',
  '/redirect-to-nothing': 'The redirect has no valid Location',
  '/silent': 'The server did not respond within 10 seconds: if the server is overloaded, lower rate_limit',
  '/stalling':
    'The server sent no data for 10 seconds in the middle of the page: if the server is overloaded, lower rate_limit',
  '/dripping': 'The page did not arrive within 40 seconds: if the server is overloaded, lower rate_limit',
  '/endless': TOO_LARGE,
  '/bomb': TOO_LARGE,
  '/bomb-in-bomb': TOO_LARGE,
  '/length-too-long': INCOMPLETE,
  '/length-too-short': CHECKED,
  '/length-twice': NO_HTTP,
  '/length-announced-too-large': TOO_LARGE,
  '/reset': 'The server closed the connection without a response: see its log, or the log of a firewall in front of it',
  '/reset-midway': INCOMPLETE,
  '/chunk-broken-off': INCOMPLETE,
  '/no-http': NO_HTTP,
  '/huge-headers': 'The headers of the response are too large: shorten or remove some, such as cookies',
  '/gzip-that-is-none': NOT_UNPACKED,
  '/unknown-compression': NOT_UNPACKED,
  '/no-content': 'The page returned 204 without content',
  '/sign-in':
    'The page returned 401: it requires a username and a password; set basic_auth, which is sent to the origin of the starting URL',
  '/forbidden': 'The page returned 403',
  '/error': 'The page returned 500',
  '/called-nothing': CHECKED,
  '/called-html-is-binary': [/^2562\/\d+$/, '5/0'],
  '/called-html-is-empty': ['2/1', '4/0'],
  '/xhtml-not-well-formed': ['2/1', '2/1'],
  '/attachment': ['1/0', 'Browsers download the page instead of showing it (see its Content-Disposition).'],
  '/elements-10000': CHECKED,
  '/errors-5000': ['5001/0', '1/0'],
  '/errors-120000': [
    'The page has more HTML errors than a report can hold: over 32 MiB. One error is probably repeated throughout the page: fix it and check the page again. The last error read: Saw U+0000 in stream.',
    '1/0',
  ],
  '/deep': ['490/0', '2/0'],
  '/rest-never-arrives': ['1/0', '1/1'],
  '/memory': ['1/0', FILLS_MEMORY],
  '/acts-on-browser': CHECKED,
  '/refreshes': CHECKED,
  '/leaves-while-checked': CHECKED,
  '/address-without-end': CHECKED,
  '/sound': ['1/0', '1/1'],
  '/never-idle': CHECKED,
  '/never-still': ['1/0', '2/0'],
  '/frames-10-deep': ['1/0', '13/0'],
  '/breaks-what-it-is-given': CHECKED,
  '/frame-of-itself': ['1/0', '3/2'],
  '/ordinary/': ['0/0', '0/0'],
  '/ordinary/faulty': ['4/4', '5/0'],
};

/** Its type is text, so it is not a page. */
const NO_PAGE = ['/called-text'];

let service: TestApp;
let site: TestSite;
let neighbour: TestSite;
let report: Item;
let pages: readonly Item[];
let memory: Memory;
/** The ordinary pages of a report that ran alone, and of a report that ran next to the hostile one. */
let alone: unknown;
let beside: unknown;

before(async () => {
  const environment = { SITEWARDEN_A11Y_CONCURRENCY: '4', SITEWARDEN_HTML_CONCURRENCY: '2' };
  service = await startTestApp(environment, limits);
  site = await startTestSite(hostileRoutes);
  neighbour = await startTestSite(hostileRoutes);
  alone = await ordinaryPages(await checked(`${neighbour.origin}/ordinary/`));

  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(service.app.db);
  const memoryUsed = watchMemory(rows[0]?.pid ?? 0);
  const running = checked(`${site.origin}/`, HOSTILE_PATHS.length + Object.keys(ORDINARY).length);
  // It may fail before it is awaited.
  running.catch(() => undefined);
  beside = await ordinaryPages(await checked(`${neighbour.origin}/ordinary/`));
  report = await running;
  memory = memoryUsed();
  pages = await service.all(`/reports/${report.id}/web_pages`);
}, HOOK_OPTIONS);

after(async () => {
  await service?.close();
  await site?.stop();
  await neighbour?.stop();
});

/** A report of both checks that has ended. */
async function checked(startingUrl: string, maxPages = 20): Promise<Item> {
  const { data } = await service.ask('/reports', 'POST', {
    starting_url: startingUrl,
    max_pages: maxPages,
    rate_limit: 100,
    perform_a11y_checks: true,
    // Each report checks its pages itself.
    reuse: false,
  });
  return service.finished(data.id);
}

/** The results of a report's ordinary pages, without the site's address. */
async function ordinaryPages(of: Item): Promise<unknown> {
  const { origin } = new URL(of.attributes.starting_url);
  const found = [];
  for (const page of await service.all(`/reports/${of.id}/web_pages`)) {
    if (!(pathOf(page) in ORDINARY)) continue;
    const { linked_from: _, ...rest } = page.attributes;
    const issues = await Promise.all(
      ['html_issues', 'a11y_issues'].map((list) => service.all(`/reports/${of.id}/web_pages/${page.id}/${list}`)),
    );
    found.push({ ...rest, issues: issues.flat().map(({ attributes }) => attributes) });
  }
  // Times differ from report to report, and the second report of a site is compared with the first.
  const isVarying = (key: string): boolean => key.endsWith('_at') || key === 'change';
  return JSON.parse(
    JSON.stringify(found, (key, value) => (isVarying(key) ? undefined : value)).replaceAll(origin, 'http://site'),
  );
}

function pathOf(page: Item): string {
  return new URL(page.attributes.url).pathname;
}

interface ShownCheck {
  readonly error: string | null;
  readonly errors: number;
  readonly warnings: number;
}

function shown({ error, errors, warnings }: ShownCheck): string {
  return error === null ? `${errors}/${warnings}` : error.replaceAll(site.origin, '');
}

function outcomeOf(page: Item): Outcome {
  const { html_check, a11y_check } = page.attributes;
  const [html, a11y] = [shown(html_check), shown(a11y_check)];
  if (html === a11y && html_check.error !== null) return html;
  const expected = EXPECTED[pathOf(page)];
  return [matched(html, expected?.[0]), matched(a11y, expected?.[1])];
}

/** The pattern that a text matches, or else the text. */
function matched(text: string, pattern: string | RegExp | undefined): string | RegExp {
  return pattern instanceof RegExp && pattern.test(text) ? pattern : text;
}

describe('a hostile site', { concurrency: true }, () => {
  it('has the expected pages, each with its outcome', () => {
    const outcomes = pages.map((page) => [pathOf(page), outcomeOf(page)] as const);
    assert.deepEqual(Object.fromEntries(outcomes), EXPECTED);
    const ends: Readonly<Record<string, string>> = {
      '/redirect-circle': '/redirect-circle/back',
      '/redirect-without-end': '/redirect-without-end/10',
    };
    const expected = HOSTILE_PATHS.filter((path) => !NO_PAGE.includes(path)).map((path) => ends[path] ?? path);
    assert.deepEqual(outcomes.map(([path]) => path).sort(), ['/', ...expected, ...Object.keys(ORDINARY)].sort());
  });

  it('ends normally, with counts that add up', async () => {
    assert.deepEqual([report.attributes.status, report.attributes.crawl_error], ['finished', null]);
    await assertCountsAddUp(service.app.db, report.id);
  });

  it('does not affect its own ordinary pages', async () => {
    const own = await ordinaryPages(report);
    assert.deepEqual(own, alone);
    assert.equal(Array.isArray(own) && own.length, Object.keys(ORDINARY).length);
  });

  it('does not affect a concurrent report of another site', () => {
    assert.deepEqual(beside, alone);
  });

  it('keeps memory within its limits', { skip: process.platform !== 'linux' }, () => {
    assert.ok(memory.own < serviceMemoryBytes, `${memory.own} bytes`);
    assert.ok(memory.validator > 0 && memory.validator < validatorMemoryBytes, `validator: ${memory.validator} bytes`);
    const browserMax = browserMemoryHardBytes * (1 + pageMemoryShare) + browserOvershootBytes;
    assert.ok(memory.browser < browserMax, `browser: ${memory.browser} bytes`);
    assert.ok(memory.total < memoryTotalBytes, `all: ${memory.total} bytes`);
  });
});

describe('a site without end', () => {
  async function crawl(path: string, maxPages: number): Promise<{ report: Item; paths: readonly string[] }> {
    const { data } = await service.ask('/reports', 'POST', {
      starting_url: `${site.origin}${path}`,
      max_pages: maxPages,
      rate_limit: 100,
    });
    const finished = await service.finished(data.id);
    const found = await service.all(`/reports/${data.id}/web_pages`);
    return { report: finished, paths: found.map(({ attributes }) => attributes.url.replace(site.origin, '')) };
  }

  it('ends where URLs get too long: a path that grows', async () => {
    const { report: ended, paths } = await crawl('/growing/', 100);
    assert.equal(ended.attributes.status, 'finished');
    assert.equal(paths.length, 9);
    assert.ok(paths.every((path) => site.origin.length + path.length <= 2_048));
  });

  it('ends at max_pages, nearest pages first: a calendar', async () => {
    const { report: ended, paths } = await crawl('/calendar-first', 8);
    assert.equal(ended.attributes.status, 'finished');
    const months = [0, -1, 1, -2].map((month) => `/calendar?month=${month}`);
    const [first, ...later] = months;
    assert.deepEqual(paths, ['/calendar-first', first, ...Object.keys(ORDINARY), ...later, '/calendar?month=2']);
  });
});
