/**
 * Measures how fast the screens of the dashboard appear, each in a browser that has cached nothing, with lists of 100 rows.
 *
 *   npm run bench:web -- [--scale S] [--rounds N] [--only TEXT] [--directory DIR]
 *
 * `shown`: milliseconds until nothing is loading; `LCP`: until the largest text or image was drawn; `shift`: how much the layout
 * moved; `rows`: from the response with the rows to the table that shows them. The best of all rounds, since other work on the
 * machine only adds. Scale 0.02 makes a report of 2,000 pages, and a page with 5,000 issue types. Exits with 1 if a figure is
 * over its limit.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { openSession } from '../src/accounts/sessions.ts';
import { SESSION_COOKIE } from '../src/api/http/session-cookie.ts';
import { findChromium } from '../src/browser/find-chromium.ts';
import { PATHS } from '../web/src/lib/paths.ts';
import { openSeededService } from './seeded-service.ts';

const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.02' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    directory: { type: 'string' },
  },
});

/** Figures of a screen; NaN for `rows` if it has no list. */
type Figures = Record<keyof typeof LIMITS, number>;

const LIMITS = { shown: Number.POSITIVE_INFINITY, LCP: 1_000, shift: 0.01, rows: 50 } as const;
const NAMES = Object.keys(LIMITS) as (keyof Figures)[];
/** Screens that are only for visitors without a session. */
const PUBLIC = /^\/(sign-in|sign-up|welcome|invitations|share)/;
const quietMs = 300;
const shownMaxMs = 30_000;

/** Runs in the page, as text. */
const OBSERVER = `
  globalThis.figures = { shown: 0, LCP: 0, shift: 0, rows: NaN };
  const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('largest-contentful-paint', ({ startTime }) => { figures.LCP = startTime; });
  observe('layout-shift', ({ hadRecentInput, value }) => { if (!hadRecentInput) figures.shift += value; });
  new MutationObserver(() => {
    figures.shown = performance.now();
    const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/'));
    const list = answers.filter(({ name }) => /page(%5B|\\[)size(%5D|\\])=100/.test(name)).at(-1);
    if (Number.isNaN(figures.rows) && list !== undefined && document.querySelectorAll('tbody tr').length >= 100)
      figures.rows = performance.now() - list.responseEnd;
  }).observe(document, { childList: true, subtree: true, attributes: true });
`;

const service = await openSeededService(options.directory, { scale: Number(options.scale), largest: 1_000 });
const { report_id, web_page_id, site_id, schedule_id, ...issues } = service.values;
const { secret } = await openSession(service.app.db, service.accountId, { userAgent: 'bench' });
const { executable, environment } = await findChromium({
  executable: null,
  cacheDirectory: join(service.dataDir, 'cache'),
});
const browser = await chromium.launch({ executablePath: executable, env: { ...environment } });

console.log(`\n${NAMES.map((name) => name.padStart(7)).join('')}  screen`);
let isOver = false;
for (const path of PATHS) {
  if (PUBLIC.test(path) || !path.includes(options.only)) continue;
  const rounds: Figures[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) rounds.push(await measure(browser, filled(path)));
  const best = NAMES.map((name) => [name, Math.min(...rounds.map((figures) => figures[name]))] as const);
  const over = best.filter(([name, value]) => value > LIMITS[name]).map(([name]) => name);
  isOver ||= over.length > 0;
  const columns = best.map(([name, value]) => told(name, value).padStart(7)).join('');
  console.log(`${columns}  ${path}${over.length > 0 ? `  OVER: ${over.join(', ')}` : ''}`);
}
process.exitCode = isOver ? 1 : 0;
await browser.close();
await service.close();

async function measure(opened: Browser, path: string): Promise<Figures> {
  const context = await opened.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name: SESSION_COOKIE, value: secret, url: service.address, sameSite: 'Strict' }]);
  await context.addInitScript(OBSERVER);
  const page = await context.newPage();
  await page.goto(`${service.address}${path}?size=100`);
  const isQuiet = `document.querySelector('h1') !== null && document.querySelector('[data-loading]') === null && performance.now() - figures.shown > ${quietMs}`;
  const deadline = performance.now() + shownMaxMs;
  while (!(await page.evaluate<boolean>(isQuiet))) {
    if (performance.now() > deadline) throw new Error(`${path} keeps changing.`);
    await page.waitForTimeout(50);
  }
  const figures = await page.evaluate<Figures>('figures');
  await context.close();
  return figures;
}

function filled(path: string): string {
  const { common_html_issue_id, common_a11y_issue_id, common_link_issue_id } = issues;
  const ids: Readonly<Record<string, string | undefined>> = {
    ...{ report: report_id, page: web_page_id, site: site_id, schedule: schedule_id },
    issue: path.includes('/html/')
      ? common_html_issue_id
      : path.includes('/links/')
        ? common_link_issue_id
        : common_a11y_issue_id,
  };
  return path.replace(/\$(\w+)/g, (_, name: string) => ids[name] ?? '');
}

function told(name: keyof Figures, value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(name === 'shift' ? 3 : 0);
}
