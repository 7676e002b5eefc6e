/**
 * Takes the screenshots of the dashboard for the documentation: starts a service, checks a small site twice, and signs in.
 *
 *   npm run pictures                    the screenshots in the documentation, into docs/pictures
 *   npm run pictures -- --all FOLDER    every screen, light and dark, on 1,280 and 360 px
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startTestSite } from '../../test/helpers/test-site.ts';
import { type BakeryState, bakery, FLORIST } from './bakery.ts';
import { type Disguise, disguiseScript } from './in-page.ts';
import { type Installation, startInstallation } from './installation.ts';
import { SCREENS, type Screen, type Shown } from './screens.ts';

const { values } = parseArgs({ options: { all: { type: 'string' } } });
const isAll = values.all !== undefined;
const folder = values.all ?? join(import.meta.dirname, '../../docs/pictures');
const pollMs = 300;
const HOUR_MS = 3_600_000;
const PASSWORD = 'correct horse battery staple';
const quality = 82;

let state: BakeryState = 'before';
await mkdir(folder, { recursive: true });
const site = await startTestSite(bakery(() => state));
const florist = await startTestSite(FLORIST);
const starting = startInstallation();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void starting.then(({ close }) => close()).finally(() => process.exit(1)));
}
const installation = await starting;
const { executable, environment } = installation.chromium;
const browser = await chromium.launch({ executablePath: executable, env: environment });
try {
  const { shown, disguise } = await checkSites(installation);
  const signedIn = await signIn(browser, disguise);
  for (const screen of SCREENS) {
    for (const scheme of ['light', 'dark'] as const) {
      for (const width of [1280, 360] as const) {
        if (isAll || screen.kept?.includes(`${scheme}-${width}`) === true)
          await takeScreen(screen, { shown, disguise, signedIn, scheme, width });
      }
    }
  }
  await takeRecheck({ shown, disguise, signedIn });
} finally {
  await browser.close();
  await installation.close();
  await Promise.all([site.stop(), florist.stop()]);
}

function nextSecond(): Promise<void> {
  return delay(1_000 - (Date.now() % 1_000));
}

/** Checks the bakery a week ago and now, and the florist. */
async function checkSites({ api, origin }: Installation): Promise<{ shown: Shown; disguise: Disguise }> {
  const settings = { max_pages: 100, rate_limit: 50, perform_a11y_checks: true, perform_link_checks: true };
  const run = async (start: string, tags: readonly string[]): Promise<{ id: string; from: number; to: number }> => {
    await nextSecond();
    const from = Math.floor(Date.now() / 1_000) * 1_000;
    const { id } = await api.create<'report'>('/reports', {
      ...settings,
      ...{ starting_url: `${start}/`, tags, store_screenshots: true },
    });
    await api.finished(id, { everyMs: pollMs });
    return { id, from, to: Date.now() };
  };
  const before = await run(site.origin, ['shop']);
  const flowers = await run(florist.origin, ['shop']);
  await run(florist.origin, ['shop']);
  await api.create<'schedule'>('/schedules', {
    ...settings,
    ...{ starting_url: `${florist.origin}/`, tags: ['shop'], store_screenshots: true },
    periodicity: { every: 'week', weekday: 'monday' },
  });
  state = 'now';
  const now = await run(site.origin, ['shop']);
  const { items: issues } = await api.readList<'common_a11y_issue'>(`/reports/${now.id}/common_a11y_issues`);
  const { items: pages } = await api.readList<'web_page'>(`/reports/${now.id}/web_pages`);
  const disguise = {
    sites: { [site.origin]: 'https://bakery.example', [florist.origin]: 'https://florist.example' },
    service: [origin, 'https://checks.example.com'],
    times: [
      { ...before, shift: 7 * 24 * HOUR_MS },
      { ...flowers, shift: 5 * 24 * HOUR_MS },
      { ...now, shift: 0 },
    ],
  } as const;
  const shown = {
    report: now.id,
    issue: issues.find(({ rule_id: rule }) => rule === 'button-name')?.id ?? '',
    webPage: pages.find(({ url }) => url.endsWith('/bread.html'))?.id ?? '',
  };
  return { shown, disguise };
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Follows the link of the first run as a person does. */
async function signIn(opened: Browser, disguise: Disguise): Promise<Cookies> {
  const page = await openWindow(opened, { disguise, scheme: 'light', width: 1280, height: 620 });
  await page.goto(installation.origin + installation.welcomePath);
  await page.getByLabel('Name').fill('Ada Miller');
  await page.getByLabel('Email address').fill('ada@bakery.example');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await take(page, 'welcome-light-1280');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: 'Save standard' }).click();
  await page.getByText('Saved.').waitFor();
  const cookies = await page.context().cookies();
  await page.context().close();
  return cookies;
}

interface Visit {
  readonly shown: Shown;
  readonly disguise: Disguise;
  readonly signedIn: Cookies;
}

async function takeScreen(
  { name, path, prepare, height = 800 }: Screen,
  { shown, scheme, width, ...visit }: Visit & { readonly scheme: 'light' | 'dark'; readonly width: 360 | 1280 },
): Promise<void> {
  const page = await openWindow(browser, { ...visit, scheme, width, height: width === 360 ? 740 : height });
  await page.goto(installation.origin + path(shown));
  await isShown(page);
  await prepare?.(page);
  await isShown(page);
  await take(page, `${name}-${scheme}-${width}`);
  await page.context().close();
}

/** The search button gets a name, and the pages are checked again. */
async function takeRecheck({ shown, ...visit }: Visit): Promise<void> {
  const page = await openWindow(browser, { ...visit, scheme: 'light', width: 1280, height: 480 });
  await page.goto(`${installation.origin}/reports/${shown.report}/accessibility/${shown.issue}`);
  await isShown(page);
  state = 'fixed';
  await page.getByRole('button', { name: /^Re-check/ }).click();
  await page.getByText(/✓ \d+ fixed/).waitFor({ timeout: 120_000 });
  await isShown(page);
  await take(page, 'recheck-light-1280');
  await page.context().close();
}

async function openWindow(
  opened: Browser,
  options: Omit<Visit, 'shown' | 'signedIn'> & {
    readonly signedIn?: Cookies;
    readonly scheme: 'light' | 'dark';
    readonly width: number;
    readonly height: number;
  },
): Promise<Page> {
  const { disguise, signedIn = [], scheme, width, height } = options;
  const context = await opened.newContext({
    ...{ viewport: { width, height }, deviceScaleFactor: 2, colorScheme: scheme },
    ...{ reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'Europe/London' },
  });
  await context.addCookies(signedIn);
  await context.addInitScript(disguiseScript(disguise));
  return context.newPage();
}

/** Resolves when nothing has been loading for a while: some lists start loading only after others. */
async function isShown(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  for (let quiet = 0; quiet < 4; ) {
    await page.waitForTimeout(250);
    quiet = (await page.locator('[data-loading]').count()) === 0 ? quiet + 1 : 0;
  }
}

async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  await writeFile(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
  console.log(`${name}.webp  ${Math.round((data.length * 0.75) / 1024)} kB`);
}
