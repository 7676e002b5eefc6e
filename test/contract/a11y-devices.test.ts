import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, devices as descriptors } from 'playwright-core';
import { BrowserFault } from '../../src/browser/browser-fault.ts';
import { DEFAULT_DEVICE, defaultUserAgent, listDevices, rotated } from '../../src/browser/devices.ts';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { MissedTurn, type TakeTurn } from '../../src/checks/check-engine.ts';
import { interpretAnswer } from '../../src/checks/interpret-answer.ts';
import type { Viewport } from '../../src/domain/check.ts';
import { CheckFailure } from '../../src/platform/errors.ts';
import { browserCache, recordChildren, testPool } from '../helpers/browser.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** A page on another device than the default one is what the server answers that device, shown as the device shows it. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.js'), 'utf8');
const STYLE = `<style>
  .narrow, .touch, .dense, .wide, .small-screen { display: none }
  @media (max-width: 500px) { .narrow { display: block } }
  @media (pointer: coarse) and (hover: none) { .touch { display: block } }
  @media (min-resolution: 2dppx) { .dense { display: block } }
  @media (orientation: landscape) { .wide { display: block } }
  @media (max-device-width: 700px) { .small-screen { display: block } }
</style>`;
/** Each of these is a fault that axe finds only where it is displayed. */
const FAULTS = `<img class=narrow src=x><a class=touch href=x></a><input class=dense>
  <div class=wide role=img></div><select class=small-screen></select>`;
/** The faults by the rules that find them, and what the server puts in for some user agents. */
const RULES = {
  narrow: 'image-alt',
  touch: 'link-name',
  dense: 'label',
  wide: 'role-img-alt',
  smallScreen: 'select-name',
};
const PHONE = '<button></button>';
const SCRIPTED = `<script>if(/Mobile/.test(navigator.userAgent)&&'ontouchstart' in window)
  document.querySelector('main').insertAdjacentHTML('beforeend','<div role=meter aria-valuenow=1></div>')</script>`;

function pageFor(userAgent: string): string {
  const answer = /iPhone|Pixel/.test(userAgent) ? PHONE : '';
  return `<!DOCTYPE html><html lang=en><meta name=viewport content="width=device-width"><title>Page</title>${STYLE}
    <main><h1>Page</h1>${FAULTS}${answer}</main>${SCRIPTED}</html>`;
}

const { narrow, touch, dense, wide, smallScreen } = RULES;
/** What each device meets. */
const EXPECTED: readonly {
  readonly device: string;
  readonly isRotated?: boolean;
  readonly rules: readonly string[];
}[] = [
  { device: 'Default', rules: [wide] },
  { device: 'Default', isRotated: true, rules: [smallScreen] },
  { device: 'Desktop Chrome', rules: [wide] },
  { device: 'Desktop Chrome HiDPI', rules: [dense, wide] },
  { device: 'iPhone 15', rules: ['button-name', narrow, touch, dense, smallScreen, 'aria-meter-name'] },
  { device: 'iPhone 15', isRotated: true, rules: ['button-name', touch, dense, wide, 'aria-meter-name'] },
  { device: 'Pixel 7 landscape', rules: ['button-name', touch, dense, wide, 'aria-meter-name'] },
  { device: 'Nexus 10', rules: [touch, dense] },
];

const site = startTestSite({
  '/page': (request, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('cache-control', 'max-age=600');
    response.end(pageFor(userAgentOf(request)));
  },
  '/compressed': {
    headers: { 'content-encoding': 'gzip', 'content-type': 'text/html; charset=iso-8859-1' },
    body: gzipSync(
      Buffer.from('<!DOCTYPE html><html lang=en><title>caf\u00e9</title><main><h1>x</h1><img src=x></main>', 'latin1'),
    ),
  },
  '/reloading':
    '<!DOCTYPE html><html lang=en><title>x</title><main><h1>x</h1><img src=x></main><script>performance.getEntriesByType("navigation")[0].type==="reload"||location.reload()</script>',
  '/gone': { status: 404, body: '<!DOCTYPE html><title>x</title>' },
  '/broken': { status: 503, body: '<!DOCTYPE html><title>x</title>' },
  '/busy': { status: 429, headers: { 'retry-after': '7' } },
  '/resting': { status: 503, headers: { 'retry-after': '120' } },
  '/closed': { status: 503, headers: { 'retry-after': '3600' } },
  '/empty': { status: 204 },
  '/moved': { status: 302, headers: { location: '/page?mobile' } },
  '/file': { headers: { 'content-type': 'application/pdf' }, body: 'PDF' },
  '/cut': (_request, response) => void response.destroy(),
  '/never': () => undefined,
  '/large': `<!DOCTYPE html><title>x</title>${'x'.repeat(10 * 1_048_576)}`,
});
const children = recordChildren();
let origin: string;
let requests: TestSite['requests'];
let direct: Browser;
/** What the browser says of itself after what the device says. */
const userAgentSuffix = 'sitewarden/1.2.3 (+https://contact.example/)';
const engine = createA11yEngine({ pool: testPool({ children, userAgentSuffix }) });

function userAgentOf(request: IncomingMessage): string {
  return request.headers['user-agent'] ?? '';
}

function viewportOf(name: string): Viewport {
  const device = [DEFAULT_DEVICE, ...listDevices()].find((candidate) => candidate.name === name);
  assert.ok(device !== undefined, name);
  return device.viewport;
}

const SPIDERS = '<!DOCTYPE html><title>For the spider</title><p>Nothing of what the others get</p>';

/** A check of a page for which the spider was given something that a browser must not show to another device. */
async function collect(path: string, viewport: Viewport, body = SPIDERS, by = engine, takeTurn?: TakeTurn) {
  const headers = [['content-type', 'text/html']] as const;
  const document = {
    url: `${origin}${path}`,
    httpStatus: 200,
    contentType: 'text/html',
    headers,
    body: Buffer.from(body),
  };
  const turn = takeTurn === undefined ? {} : { takeTurn };
  const input = { document, viewport, cacheGroup: 'report', keepsRaw: true, ...turn };
  return interpretAnswer('a11y', await by.collect(input, AbortSignal.timeout(120_000)), document.url);
}

async function runDirectly(path: string, name: string): Promise<Record<string, unknown>> {
  const { userAgent, ...device } = descriptors[name] ?? assert.fail(name);
  const context = await direct.newContext({ ...device, userAgent: `${userAgent} ${userAgentSuffix}` });
  try {
    const page = await context.newPage();
    await page.goto(`${origin}${path}`, { waitUntil: 'load' });
    await page.evaluate(AXE);
    return JSON.parse(await page.evaluate('axe.run().then(JSON.stringify)'));
  } finally {
    await context.close();
  }
}

function documentRequests(path: string) {
  return requests.filter(({ url }) => url === path);
}

before(async () => {
  ({ origin, requests } = await site);
  const found = await findChromium({ executable: null, cacheDirectory: browserCache });
  direct = await chromium.launch({ executablePath: found.executable, env: found.environment });
  await engine.start();
});

after(async () => {
  await engine.stop();
  await direct?.close();
  await (await site).stop();
});

describe('the accessibility check on a device', () => {
  for (const { device, isRotated = false, rules } of EXPECTED) {
    it(`finds what ${device}${isRotated ? ', rotated,' : ''} meets`, async () => {
      const viewport = isRotated ? rotated(viewportOf(device)) : viewportOf(device);
      const isDefault = viewport.userAgent === null;
      const before = documentRequests('/page').length;
      const raw = await collect('/page', viewport, isDefault ? pageFor('sitewarden') : undefined);
      const found = raw.issues.map(({ ruleId }) => ruleId);
      assert.deepEqual(found.toSorted(), rules.toSorted());
      const asked = documentRequests('/page').slice(before);
      assert.deepEqual(
        asked.map(({ userAgent }) => userAgent),
        isDefault ? [] : [`${viewport.userAgent} ${userAgentSuffix}`],
      );
    });
  }

  it('gives what axe gives with the device emulation of Playwright, request and raw check alike', async () => {
    for (const name of ['Desktop Chrome HiDPI', 'iPhone 15', 'Pixel 7 landscape']) {
      const { timestamp: _ours, ...results } = JSON.parse(
        (await collect('/page', viewportOf(name))).rawCheck()?.json ?? '',
      );
      const { 'cache-control': cacheControl, ...ours } = documentRequests('/page').at(-1)?.headers ?? {};
      const { timestamp: _theirs, ...expected } = await runDirectly('/page', name);
      assert.deepEqual(results, expected, name);
      assert.equal(cacheControl, 'no-cache');
      assert.deepEqual(ours, documentRequests('/page').at(-1)?.headers, name);
    }
  });

  it('requests what a page loads as the browser does, which names us after itself', async () => {
    const image = () => requests.findLast(({ url }) => url === '/x')?.headers ?? assert.fail('no image was requested');
    await collect('/page', viewportOf('Default'), pageFor('sitewarden'));
    const ours = image();
    const page = await direct.newPage({ viewport: { width: 800, height: 600 }, userAgent: defaultUserAgent() });
    await page.goto(`${origin}/page`, { waitUntil: 'load' });
    const theirs = image();
    await page.close();
    assert.notEqual(ours, theirs);
    const { referer, 'user-agent': userAgent, ...others } = theirs;
    assert.deepEqual(ours, { ...others, referer, 'user-agent': `${userAgent} ${userAgentSuffix}` });
  });

  it('undoes the compression and keeps the charset of the answer', async () => {
    const raw = await collect('/compressed', viewportOf('iPhone 15'));
    assert.match(raw.rawCheck()?.json ?? '', /<img src=\\"x\\">/);
    const { violations } = await runDirectly('/compressed', 'iPhone 15');
    assert.deepEqual(JSON.parse(raw.rawCheck()?.json ?? '').violations, violations);
  });

  it('requests a page that loads itself again once', async () => {
    await collect('/reloading', viewportOf('iPhone 15'));
    assert.equal(documentRequests('/reloading').length, 1);
  });

  const failures: Readonly<Record<string, RegExp>> = {
    '/gone': /^The page answered the device 404$/,
    '/broken': /^The page answered the device 503$/,
    '/empty': /^The page answered the device 204 without content$/,
    '/moved': /^The page redirects the device to http:\S+\/page\?mobile\. Start a report from that address$/,
    '/file': /^To the device, the page is not HTML but application\/pdf$/,
    '/large': /^The page is larger than 10 MiB: divide it$/,
    '/cut': /^The browser could not get the page \(net::ERR_EMPTY_RESPONSE\)\.$/,
  };
  for (const [path, message] of Object.entries(failures)) {
    it(`fails for ${path} and says why`, async () => {
      const failure: unknown = await collect(path, viewportOf('Pixel 7')).catch((error: unknown) => error);
      assert.ok(failure instanceof CheckFailure);
      assert.match(failure.message, message);
      assert.equal(failure.permanent, path !== '/cut', 'only a broken connection is worth another attempt');
    });
  }

  it('tells for how long a busy server asks to be left alone', async () => {
    for (const [path, permanent, restMs] of [
      ['/busy', false, 7_000],
      ['/resting', false, 120_000],
      ['/closed', true, 3_600_000],
    ] as const) {
      const failure: unknown = await collect(path, viewportOf('Pixel 7')).catch((error: unknown) => error);
      assert.ok(failure instanceof CheckFailure);
      assert.deepEqual([failure.permanent, failure.restMs], [permanent, restMs]);
    }
  });

  it('gives its place in the browser up when it missed its turn, and requests nothing', async () => {
    const single = createA11yEngine({ pool: testPool({ children, slots: 1 }) });
    const miss: TakeTurn = async () => {
      throw new MissedTurn();
    };
    try {
      await single.start();
      const before = requests.length;
      await assert.rejects(collect('/reloading', viewportOf('Pixel 7'), undefined, single, miss), MissedTurn);
      await collect('/page', viewportOf('Pixel 7'), undefined, single);
      const asked = requests.slice(before).flatMap(({ url }) => (url === '/page' || url === '/reloading' ? [url] : []));
      assert.deepEqual(asked, ['/page']);
    } finally {
      await single.stop();
    }
  });

  it('does not hold it against a page that its turn did not come', async () => {
    const pool = testPool({ children });
    const [begun, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The time limit is over while the turn is waited for, however long the machine took to come that far.
    const timeUp = async (): Promise<never> => {
      await begun.promise;
      throw new BrowserFault('time_limit', 'The page did not end in time.');
    };
    const impatient = createA11yEngine({
      pool: { ...pool, withPage: (request, use) => Promise.race([pool.withPage(request, use), timeUp()]) },
    });
    const take = (): Promise<void> => {
      begun.resolve();
      return waiting.promise;
    };
    try {
      await impatient.start();
      const failing = collect('/never', viewportOf('Pixel 7'), undefined, impatient, take);
      await assert.rejects(failing, {
        message: 'The page had no turn among the requests to its site in time.',
        permanent: false,
      });
    } finally {
      waiting.reject(new Error('The check has ended'));
      await impatient.stop();
    }
  });

  it('gives a server that does not answer up', async () => {
    const impatient = createA11yEngine({ pool: testPool({ children }), limits: { answerTimeoutMs: 500 } });
    try {
      await impatient.start();
      const failing = collect('/never', viewportOf('Pixel 7'), undefined, impatient);
      await assert.rejects(failing, {
        message: 'The page did not arrive in the browser within 0.5 seconds.',
        permanent: true,
      });
    } finally {
      await impatient.stop();
    }
  });

  it('follows no redirect', () => {
    assert.equal(documentRequests('/page?mobile').length, 0);
  });
});
