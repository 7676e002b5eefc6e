import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { openSession } from '../../src/accounts/sessions.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { PATHS } from '../../web/src/lib/paths.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { DESKTOP_CHROME } from '../helpers/devices.ts';
import { FAULTY_PAGES } from '../helpers/faulty-pages.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The dashboard is its own first customer: every screen, with real data, passes both checks in both schemes and widths. */

const WIDTHS = [320, 1280] as const;
/**
 * A scheme changes colors and nothing else: each screen has one in each width. What screens share, such as the navigation, has
 * both in both widths, since they alternate. A screen is shown in the first scheme, and its window is resized for the second.
 */
const SCHEMES = ['dark', 'light'] as const;
/** The rules of axe whose results can differ between widths or schemes. They take half the time of all rules. */
const LAYOUT = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];
/** The other screens are examined in their windows. */
const REPORTED: readonly (typeof PATHS)[number][] = ['/', '/reports/$report/pages/$page'];
/** Screens that only show other data, or show it to other people, than a screen that is examined in both widths. */
const SIMILAR = /\/(accessibility|links)\b|^\/share\/\$secret\/.*\/\$/;
/** Screens of a shared report that have the components of its other screens, or are behind another link. */
const AGAIN = /^\/share\/\$secret\/(pages$|html$|accessibility|links)|^\/latest\/\$secret\/\$site\/\$report/;
/** Screens that are for people without a session. */
const PUBLIC = /^\/(sign-in|welcome|invitations|share|latest)\b/;

/** Results that axe leaves to people, who have reviewed them. */
const REVIEWED = [
  // Signs next to words with the same meaning, such as ▾ and ✓, in the colors of text.
  'color-contrast: Element content contains only non-text characters',
  // The labels of charts, which are SVG texts on the ground of the page, in its colors. A table below has the same figures.
  'color-contrast: Element content is too short to determine if it is actual text content',
  "color-contrast: Element's background color could not be determined because element contains an image node",
];

let dashboard: Dashboard;
let site: TestSite;
/** Signed in or not. */
const windows = new Map<boolean, Page>();
/** Values of the parameters of paths. */
const values: Record<string, string> = {};

before(async () => {
  [dashboard, site] = await Promise.all([startDashboard(), startTestSite(FAULTY_PAGES)]);
  const { service } = dashboard;
  const settings = { starting_url: `${site.origin}/bad`, perform_a11y_checks: true, perform_link_checks: true };
  const second = { tags: ['second'], shared: true, store_screenshots: true };
  for (const more of [{ tags: ['first'], perform_a11y_checks: false }, second]) {
    const { data } = await service.ask('/reports', 'POST', { ...settings, ...more });
    const report = await service.finished(data.id);
    values['report'] = report.id;
    values['secret'] = report.attributes.share_url?.split('/').at(-1) ?? '';
  }
  const { report } = values;
  const idOf = async (path: string): Promise<string> => (await service.all(path))[0]?.id ?? '';
  const [decided] = await service.all(`/reports/${report}/common_html_issues`);
  const [cause] = await service.all(`/reports/${report}/common_html_issues/${decided?.id}/clusters`);
  const { occurrence } = cause?.attributes.sample ?? {};
  await service.ask(`/reports/${report}/decisions`, 'POST', { occurrence, scope: 'cause', verdict: 'later' });
  await until(
    async () => (await service.all(`/reports/${report}/common_html_issues?filter[verdict]=later`)).length > 0,
  );
  values['page'] = await idOf(`/reports/${report}/web_pages?sort=-html_errors`);
  values['html'] = await idOf(`/reports/${report}/common_html_issues`);
  values['accessibility'] = await idOf(`/reports/${report}/common_a11y_issues`);
  values['links'] = await idOf(`/reports/${report}/common_link_issues`);
  values['site'] = await idOf('/sites');
  const link = await service.ask('/share_links', 'POST', { site_id: values['site'], name: 'Ada' });
  values['latest'] = new URL(link.data.attributes.share_url).pathname.split('/').at(-1) ?? '';
  const schedule = {
    ...{ ...settings, periodicity: { every: 'week', weekday: 'monday' }, fail_on: ['error'] },
    ...{ time_of_day: '07:30', time_zone: 'America/Argentina/Buenos_Aires', spread: true },
  };
  values['schedule'] = (await service.ask('/schedules', 'POST', schedule)).data.id;
  // Nothing listens there.
  const channel = { kind: 'webhook', name: 'Deploy bot', webhook_url: 'http://127.0.0.1:2/in', digest: 'daily' };
  values['channel'] = (await service.ask('/notification_channels', 'POST', channel)).data.id;
  await service.ask(`/notification_channels/${values['channel']}/test`, 'POST');
  await service.ask('/mutings', 'POST', { url_match: 'nowhere.example', message: 'nothing', comment: 'An example' });
  // Wrong secrets are reported.
  dashboard.expectStatus(404);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

describe('every screen', () => {
  for (const [nth, path] of PATHS.entries()) {
    test(`${path} ${AGAIN.test(path) ? 'is shown' : 'has no findings'}`, async () => {
      const widths = nth % 2 === 0 ? WIDTHS : WIDTHS.toReversed();
      const page = await show(path, widths[0] ?? 0, SCHEMES[0]);
      const examined = AGAIN.test(path) ? [] : SIMILAR.test(path) ? widths.slice(0, 1) : widths;
      for (const [index, width] of examined.entries()) {
        await examine(page, path, width, SCHEMES[index] ?? 'dark', index === 0 ? undefined : LAYOUT);
      }
      assert.deepEqual(dashboard.takeFaults(), []);
    });
  }
});

test('its own report on the dashboard, signed in, finds nothing', async () => {
  const { service, origin } = dashboard;
  const { id } = await ensureFirstAccount(service.app.db);
  const { secret } = await openSession(service.app.db, id, { userAgent: 'Test/1.0' });
  const { data } = await service.ask('/reports', 'POST', {
    starting_url: `${origin}/`,
    initial_urls: REPORTED.map((path) => origin + filled(path)),
    cookies: { [SESSION_COOKIE]: secret },
    ...{
      max_pages: REPORTED.length,
      deep_crawl: false,
      rate_limit: 50,
      perform_a11y_checks: true,
      device_id: DESKTOP_CHROME,
      wait_for: 'body:not(:has([data-loading])) h1',
    },
  });
  const report = await service.finished(data.id);
  const { html, a11y } = report.attributes.checks;
  const { length } = REPORTED;
  const pages = { passed: length, with_errors: 0 };
  assert.deepEqual([html.pages, a11y.pages], [pages, { ...pages, severe_free: length }]);
  assert.deepEqual([html.issues.errors, html.issues.warnings, a11y.issues.severity.total.errors], [0, 0, 0]);
  const kinds = await service.all(`/reports/${report.id}/common_a11y_issues`);
  for (const { id: kind, attributes } of kinds) {
    const occurrences = await service.all(
      `/reports/${report.id}/common_a11y_issues/${kind}/occurrences?page%5Bsize%5D=100`,
    );
    const reasons = occurrences.map(
      (occurrence) => `${attributes.rule_id}: ${occurrence.attributes.failure_summary.split('\n  ').at(-1)}`,
    );
    assert.deepEqual(
      [...new Set(reasons)].filter((reason) => !REVIEWED.includes(reason)),
      [],
    );
  }
});

test('the issues that need review are known', () => {
  assert.deepEqual(dashboard.needsReview(), REVIEWED);
});

type Scheme = (typeof SCHEMES)[number];

async function examine(page: Page, path: string, width: number, scheme: Scheme, rules?: string[]): Promise<void> {
  await resize(page, width, scheme);
  await dashboard.settled(page);
  // Buttons fade from one scheme to the other.
  await page.evaluate('document.getAnimations().forEach((animation) => animation.finish())');
  const name = `${path} at ${width} px, ${scheme}`;
  assert.deepEqual(await dashboard.axe(page, rules), [], name);
  const overflow: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
  if (width !== WIDTHS[0]) assert.deepEqual(await dashboard.validate(page), [], name);
}

async function resize(page: Page, width: number, scheme: Scheme): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 800 });
}

/** Shows a path in a window that all paths share. */
async function show(path: string, width: number, scheme: Scheme): Promise<Page> {
  const isSignedIn = !PUBLIC.test(path);
  const before = windows.get(isSignedIn);
  if (before === undefined) {
    const page = await dashboard.open(filled(path), { width, isSignedIn, scheme });
    windows.set(isSignedIn, page);
    return page;
  }
  await resize(before, width, scheme);
  await dashboard.show(before, filled(path));
  return before;
}

function filled(path: string): string {
  const kind = /\/(html|accessibility|links)\//.exec(path)?.[1] ?? '';
  const latest = path.replace('/latest/$secret', `/latest/${values['latest']}`);
  return latest.replace('$issue', values[kind] ?? '').replace(/\$(\w+)/g, (_, name: string) => values[name] ?? '');
}
