import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, devices as descriptors } from 'playwright-core';
import { DEFAULT_DEVICE, defaultUserAgent, listDevices, rotated } from '../../src/browser/devices.ts';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import type { Viewport } from '../../src/domain/check.ts';
import { browserCache, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** A document that the spider fetched as a device is rendered as on that device. */

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
/** The faults by rule, and the content that the server adds for some user agents. */
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
/** The rules that find something on each device. */
const EXPECTED: readonly {
  readonly device: string;
  readonly isRotated?: boolean;
  /** Whether the complete output is compared with the results of axe in Playwright's device emulation. */
  readonly isCompared?: boolean;
  readonly rules: readonly string[];
}[] = [
  { device: 'Default', rules: [wide] },
  { device: 'Default', isRotated: true, rules: [smallScreen] },
  { device: 'Desktop Chrome HiDPI', rules: [dense, wide] },
  {
    device: 'iPhone 15',
    isCompared: true,
    rules: ['button-name', narrow, touch, dense, smallScreen, 'aria-meter-name'],
  },
  { device: 'iPhone 15', isRotated: true, rules: ['button-name', touch, dense, wide, 'aria-meter-name'] },
  {
    device: 'Pixel 7 landscape',
    isCompared: true,
    rules: ['button-name', touch, dense, wide, 'aria-meter-name'],
  },
  { device: 'Nexus 10', rules: [touch, dense] },
];

const site = startTestSite({
  '/page': (request, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('cache-control', 'max-age=600');
    response.end(pageFor(userAgentOf(request)));
  },
});
const children = recordChildren();
let origin: string;
let requests: TestSite['requests'];
let direct: Browser;
/** What the browser appends to the user agent of the device. */
const userAgentSuffix = 'sitewarden/1.2.3 (+https://contact.example/)';
const engine = createA11yEngine({ pool: testPool({ children, userAgentSuffix }), limits: PATIENT_PAGES });

function userAgentOf(request: IncomingMessage): string {
  return request.headers['user-agent'] ?? '';
}

function viewportOf(name: string): Viewport {
  const device = [DEFAULT_DEVICE, ...listDevices()].find((candidate) => candidate.name === name);
  assert.ok(device !== undefined, name);
  return device.viewport;
}

/** Checks the page that the server sends to the device. */
async function collect(path: string, viewport: Viewport) {
  const headers = [['content-type', 'text/html']] as const;
  const document = {
    url: `${origin}${path}`,
    httpStatus: 200,
    contentType: 'text/html',
    headers,
    body: Buffer.from(pageFor(viewport.userAgent ?? 'sitewarden')),
  };
  const input = { document, viewport, cacheGroup: 'report', keepsRaw: true };
  return A11Y.interpret(await engine.collect(input, AbortSignal.timeout(patienceMs)), document.url);
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
  for (const { device, isRotated = false, isCompared = false, rules } of EXPECTED) {
    it(`finds what ${device}${isRotated ? ', rotated,' : ''} gets`, async () => {
      const viewport = isRotated ? rotated(viewportOf(device)) : viewportOf(device);
      const before = documentRequests('/page').length;
      const raw = await collect('/page', viewport);
      const found = raw.issues.map(({ ruleId }) => ruleId);
      assert.deepEqual(found.toSorted(), rules.toSorted());
      assert.equal(documentRequests('/page').length, before, 'the browser requests no document');
      if (!isCompared) return;
      const { timestamp: _ours, ...results } = JSON.parse(raw.rawCheck()?.json ?? '');
      const { timestamp: _theirs, ...expected } = await runDirectly('/page', device);
      assert.deepEqual(results, expected);
    });
  }

  it("requests subresources with the browser's user agent, followed by ours", async () => {
    const image = () => requests.findLast(({ url }) => url === '/x')?.headers ?? assert.fail('no image was requested');
    await collect('/page', viewportOf('Default'));
    const ours = image();
    const page = await direct.newPage({ viewport: { width: 800, height: 600 }, userAgent: defaultUserAgent() });
    await page.goto(`${origin}/page`, { waitUntil: 'load' });
    const theirs = image();
    await page.close();
    assert.notEqual(ours, theirs);
    const { referer, 'user-agent': userAgent, ...others } = theirs;
    assert.deepEqual(ours, { ...others, referer, 'user-agent': `${userAgent} ${userAgentSuffix}` });
  });
});
