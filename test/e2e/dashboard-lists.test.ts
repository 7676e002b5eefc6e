import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { spreadMinutes } from '../../packages/client/periodicity.ts';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';
import { seedSite } from '../helpers/sites.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** What lists and forms say about runs, sites and schedules that exist, and about credits if they are limited. */

const FONT = { type: 'error', message: 'The font element is obsolete.' } as const;
const found = (url: string): SeedPage => ({
  url,
  checks: { html: { status: 'checked', issues: [{ kind: FONT, occurrences: [{ html: '<font>' }] }] } },
});
const clean = (url: string, kind: 'html' | 'link' = 'html'): SeedPage => ({
  url,
  checks: { [kind]: { status: 'checked' } },
});

let dashboard: Dashboard;
let window: Page;
/** The id of the report of a run that its schedule counts as failed, and the path of the schedule. */
let failed: readonly [report: string, schedule: string];
/** The id of the schedule of a site that its deploy hook checks. */
let hook: string;

before(async () => {
  dashboard = await startDashboard({ SITEWARDEN_SCHEDULE_TIME: '03:30' }, WITHOUT_BROWSER);
  const { service } = dashboard;
  const { db } = service.app;
  const owner = (await ensureFirstAccount(db)).id;
  const seed = (
    url: string,
    pages: readonly SeedPage[],
    more: object = {},
    kinds: readonly ('html' | 'link')[] = ['html'],
  ) => seedReport(db, { account_id: owner, starting_url: url, ...more }, kinds, pages);

  const strict = { starting_url: 'http://strict.test/', periodicity: { every: 'deploy' } };
  const schedule = (await service.ask('/schedules', 'POST', strict)).data.id;
  const run = { schedule_id: schedule, fail_on: ['error'], num_failing: 1 };
  const { reportId } = await seed(strict.starting_url, [found(strict.starting_url)], run);
  failed = [reportId, `/schedules/${schedule}`];

  const stopped = 'http://stopped.test/';
  await seed(stopped, [found(stopped), found(`${stopped}b`)]);
  await seed(stopped, [clean(stopped)], { crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }) });

  const twins = 'http://twins.test/';
  await seed(twins, [clean(twins)], { max_pages: 20 });
  await seedSite(db, owner, { starting_url: twins, checks: ['html', 'link'] });
  await seed(twins, [clean(twins, 'link')], {}, ['html', 'link']);
  await seedSite(db, owner, { starting_url: 'http://named.test/' }, 'Our shop');
  await seed('http://named.test/', [clean('http://named.test/')]);

  const hooked = { starting_url: 'http://hooked.test/', max_pages: 10, perform_html_checks: true };
  hook = (
    await service.ask('/schedules', 'POST', { ...hooked, perform_a11y_checks: false, periodicity: { every: 'deploy' } })
  ).data.id;
  await seed(hooked.starting_url, [found(hooked.starting_url)]);
  window = await dashboard.open('/');
});
after(() => dashboard?.close());

function assertFaultless(): void {
  assert.deepEqual(dashboard.takeFaultsButLateResults(), []);
}

describe('lists', () => {
  /** The texts of the rows on the screens with lists of runs. */
  const rows: Record<string, readonly string[]> = {};
  before(async () => {
    const tables = { '/reports': 'Reports', '/schedules': 'Schedules', '/stats': 'Latest statistics', '/': 'Sites' };
    for (const [path, name] of Object.entries(tables)) {
      await dashboard.visit(window, path);
      await window.getByRole('table', { name }).waitFor();
      const texts = await window.getByRole('row').allTextContents();
      rows[path] = texts.map((text) => text.replaceAll(/\s+/g, ' '));
    }
  });
  const rowOf = (path: string, site: string): string => rows[path]?.find((row) => row.includes(site)) ?? '';

  test('show a run that its schedule counts as failed as failed, as other screens do', async () => {
    for (const path of ['/', '/reports', '/schedules'])
      assert.match(rowOf(path, 'strict.test'), /✕ did not pass/, path);
    const [report, schedule] = failed;
    for (const path of [schedule, `/reports/${report}`]) {
      await dashboard.visit(window, path);
      await window.getByText('did not pass').first().waitFor();
    }
    assertFaultless();
  });

  test('do not show a stopped run as the newest state of its site', () => {
    const row = rowOf('/', 'stopped.test');
    assert.match(row, /Stopped early.*· stopped early.*1 of 1 checked/);
    assert.doesNotMatch(row, /100%|same|No /);
    assert.match(rowOf('/stats', 'stopped.test'), /0 of 2, 0%/);
    assert.equal(rows['/reports']?.filter((text) => text.includes('stopped early')).length, 1);
  });

  test('name sites, and distinguish sites that differ only in their settings', () => {
    for (const path of ['/', '/reports', '/stats']) {
      const twins = rows[path]?.filter((row) => row.includes('twins.test')) ?? [];
      for (const words of ['HTML; up to 20 pages', 'HTML, Links; up to 10 pages'])
        assert.ok(
          twins.some((row) => row.includes(words)),
          `${path} ${words}`,
        );
      assert.match(rowOf(path, 'named.test'), /Our shop/);
    }
  });

  test('count the sites that they mark', async () => {
    await dashboard.visit(window, '/');
    await window.getByRole('table', { name: 'Sites' }).waitFor();
    const marked = await window.getByRole('link', { name: /Has errors|Did not pass|new errors?|failed/ }).count();
    assert.ok(marked > 1, String(marked));
    await window.getByText(`, ${marked} need attention`).waitFor();
  });

  test('offer no schedule for a site that its deploy hook checks', async () => {
    assert.match(rowOf('/', 'hooked.test'), /on deploy/);
    await dashboard.service.ask(`/schedules/${hook}`, 'PATCH', { active: false });
    const row = window.getByRole('table', { name: 'Sites' }).getByRole('row').filter({ hasText: 'hooked.test' });
    await dashboard.load(window, '/');
    await row.getByText('Schedule').waitFor();
    assertFaultless();
  });

  test('of sites fit a window of 1280 pixels, even with large numbers and long names', async () => {
    await window.route(/\/api\/v1\/sites\?/, async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      for (const { attributes } of document.data) {
        const [last] = attributes.runs;
        if (last === undefined) continue;
        const { report_id } = last;
        const change = { new: 1234, regressed: 123, not_checked_before: 1234, fixed: 123, unverified: 12 };
        const pages = { passed: 1234, checked: 12_345, severe_free: { pages: 1234, checked: 12_345 } };
        Object.assign(last, { ...pages, errors_per_page: 1234.5, errors: 123_456, critical: 1234, change });
        Object.assign(last, { verdict: 'failed', now: null });
        Object.assign(attributes, {
          name: 'Municipality of Oberndorf, citizens’ portal and registry office',
          ...{ change, attention: 'new_critical', next_run_at: '2099-09-29T10:00:00' },
          unacknowledged: {
            ...{ report_id, since_report_id: report_id, since: '2026-09-29T10:00:00' },
            ...{ new_errors: 1234, new_critical: 1234, broken_pages: 123 },
          },
        });
      }
      await route.fulfill({ response, json: document });
    });
    await dashboard.load(window, '/');
    await window.getByText('1,234 new errors, 1,234 critical').first().waitFor();
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.ok(Number(await window.evaluate(overflow)) <= 0);
    const tooWide =
      'Array.from(document.querySelectorAll("td")).filter((cell) => cell.scrollWidth > cell.clientWidth).length';
    assert.equal(await window.evaluate(tooWide), 0);
    await window.unroute(/\/api\/v1\/sites\?/);
    await dashboard.load(window, '/reports');
    assertFaultless();
  });

  test('of issues have those that need review after errors of any impact', async () => {
    const review = {
      type: 'warning',
      message: 'Contrast needs review',
      ruleId: 'contrast',
      impact: 'serious',
    } as const;
    const mild = { type: 'error', message: 'Landmarks overlap', ruleId: 'landmark', impact: 'minor' } as const;
    const issues = [review, mild].map((kind) => ({ kind, occurrences: [{ html: '<p>', target: ['p'] }] }));
    const pages: SeedPage[] = [{ url: 'http://review.test/', checks: { a11y: { status: 'checked', issues } } }];
    const { db } = dashboard.service.app;
    const { reportId } = await seedReport(db, { account_id: (await ensureFirstAccount(db)).id }, ['a11y'], pages);
    await dashboard.visit(window, `/reports/${reportId}/accessibility`);
    await window.getByRole('row').filter({ hasText: 'Landmarks' }).waitFor();
    const shown = (await window.getByRole('row').allTextContents()).flatMap(
      (text) => /Contrast|Landmarks/.exec(text) ?? [],
    );
    assert.deepEqual(shown, ['Landmarks', 'Contrast']);
    await dashboard.visit(window, `/reports/${reportId}/accessibility?impact=critical,serious`);
    await window.getByText('No issues match the filters').waitFor();
    assertFaultless();
  });

  test('of mutings name the selector of a muting, and keep it when its deletion is undone', async () => {
    const { service } = dashboard;
    const muting = { url_match: 'shop.test', message: 'color-contrast', selector: '.badge-counter' };
    await service.ask('/mutings', 'POST', muting);
    await dashboard.visit(window, '/mutings');
    await window.getByRole('row', { name: 'color-contrast in .badge-counter' }).waitFor();
    await window.getByRole('button', { name: 'Delete the muting of color-contrast in .badge-counter' }).click();
    await window.getByRole('button', { name: 'Undo' }).click();
    await until(async () => {
      const [restored] = await service.all('/mutings');
      return restored?.attributes['selector'] === muting.selector;
    });
    await window.getByRole('row', { name: 'color-contrast in .badge-counter' }).waitFor();
    assertFaultless();
  });
});

test('a report at the address of a site can have the settings of the site', async () => {
  const attributes = { starting_url: 'https://localhost/shop', name: 'The shop', standard: 'en-301-549' };
  await dashboard.service.ask('/sites', 'POST', attributes);
  await dashboard.visit(window, '/reports/new');
  await window.locator('input[name=starting_url]').fill('https://localhost/sho');
  await window.locator('input[name=starting_url]').press('p');
  const note = window.getByText('This address belongs to the site');
  await note.waitFor();
  assert.match((await note.textContent()) ?? '', /The shop, which has the standard EN 301 549/);
  await note.getByRole('link').click();
  await window.waitForURL(/site=/);
  await window.getByText('A report with the settings of the site').waitFor();
  assert.equal(await window.getByText('This address belongs to the site').count(), 0);
});

test('a schedule gets a time of day in a time zone, is spread, and returns to the time of the installation', async () => {
  const { service } = dashboard;
  await dashboard.visit(window, '/schedules/new?every=day');
  const time = window.getByLabel('Time', { exact: true });
  const zone = window.getByLabel('Time zone', { exact: true });
  await window.getByText('If empty, runs start at 03:30 UTC. Next runs in your time zone: ').waitFor();
  assert.equal(await zone.count(), 0);
  await window.getByRole('textbox', { name: 'Address (required)' }).fill('http://127.0.0.1:9/');
  await time.fill('07:30');
  assert.equal(await zone.inputValue(), await window.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'));
  await zone.selectOption('Asia/Tokyo');
  await window.getByLabel('Spread the start over an hour').check();
  await window.getByText('Next runs in Asia/Tokyo, each up to an hour later: ').waitFor();
  await window.getByRole('button', { name: 'Save schedule' }).click();
  await window.waitForURL(/\/schedules\/[\da-f-]{36}$/);

  const id = new URL(window.url()).pathname.split('/').at(-1) ?? '';
  const stored = async () => (await service.ask(`/schedules/${id}`)).data.attributes;
  const { time_of_day, time_zone, spread } = await stored();
  assert.deepEqual([time_of_day, time_zone, spread], ['07:30', 'Asia/Tokyo', true]);
  const delay = spreadMinutes(id);
  const start = `${delay === 0 ? 'at' : `${delay} min after`} 07:30 (Asia/Tokyo)`;
  await window.getByText(`Runs every day${delay === 0 ? '' : ','} ${start}`).waitFor();
  // The form previews what the service has computed.
  const facts = (await window.getByRole('definition').filter({ hasText: '(Asia/Tokyo)' }).textContent()) ?? '';
  const first = facts.split(' · ')[0] ?? '';
  assert.match(first, /^\w{3} \d+ \w{3,4}, \d\d:\d\d$/);
  await window.getByText(`Next runs in Asia/Tokyo: ${first}; `).waitFor();
  await window.getByRole('link', { name: '‹ Schedules' }).click();
  await window.getByText(start).waitFor();

  await dashboard.visit(window, `/schedules/${id}`);
  await time.fill('');
  await window.getByLabel('Spread the start over an hour').uncheck();
  await window.getByRole('button', { name: 'Save', exact: true }).click();
  await window.getByText('Saved.').waitFor();
  const changed = await stored();
  assert.deepEqual([changed.time_of_day, changed.spread], [null, false]);
  assert.match(changed.next_run_at, /T03:30:00$/);
  assertFaultless();
});

/** Only installations that limit credits and plans mention them: an account without a limit never reads about them. */
describe('credits', () => {
  let channel: string;
  before(async () => {
    const settings = { kind: 'webhook', webhook_url: 'https://a.example/hook' };
    channel = (await dashboard.service.ask('/notification_channels', 'POST', settings)).data.id;
  });

  /** Returns the screens that have such a word, even where it is not visible. */
  async function screensWith(words: RegExp, paths: readonly string[]): Promise<string[]> {
    const screens: string[] = [];
    for (const path of paths) {
      await dashboard.visit(window, path);
      if (words.test((await window.locator('body').textContent()) ?? '')) screens.push(path);
    }
    return screens;
  }

  /** Returns what the account's screen calls its limits. */
  async function nameOfLimits(): Promise<string | null> {
    await dashboard.visit(window, '/account');
    return window.locator('dt', { hasText: /^(?:Plan|Limits)$/ }).textContent();
  }

  test('are kept in the events of a channel that is saved where there are none', async () => {
    const eventsOf = async (): Promise<string[]> =>
      (await dashboard.service.ask(`/notification_channels/${channel}`)).data.attributes.events;
    const before = await eventsOf();
    assert.ok(before.includes('schedule.out_of_credits'));
    await dashboard.visit(window, `/account/notifications/${channel}`);
    await window.getByLabel('A report has failed').uncheck();
    await window.getByRole('button', { name: 'Save' }).click();
    await until(async () => !(await eventsOf()).includes('report.failed'));
    assert.deepEqual(
      await eventsOf(),
      before.filter((event) => event !== 'report.failed'),
    );
  });

  test('are on no screen unless they are limited', async () => {
    const [report] = failed;
    const screens = [
      ...['/', '/reports/new', '/sites/new', '/schedules/new', '/account', '/account/notifications'],
      ...['/account/notifications/new', `/account/notifications/${channel}`, '/account/tokens'],
      ...['', '/html', '/pages'].map((path) => `/reports/${report}${path}`),
    ];
    assert.deepEqual(await screensWith(/credit|\bplans?\b|\bprices?\b|\bpa(?:y|id)/i, [...screens, '/sign-up']), []);
    assert.equal(await nameOfLimits(), 'Limits');
    await sql`UPDATE accounts SET credits = 500`.execute(dashboard.service.app.db);
    await dashboard.load(window, '/reports/new');
    const limited = ['/reports/new', `/account/notifications/${channel}`, '/account'];
    assert.deepEqual(await screensWith(/credit/i, limited), limited);
    assert.equal(await nameOfLimits(), 'Plan');
  });

  test('that a report costs follow the marks of its journeys', async () => {
    await dashboard.visit(window, '/reports/new');
    await window.getByText('Crawling', { exact: true }).first().click();
    const price = async (): Promise<number> => {
      const text = (await window.locator('form').last().textContent()) ?? '';
      return Number(/Up to ([\d,]+) credit/.exec(text)?.[1]?.replaceAll(',', ''));
    };
    const without = await price();
    assert.ok(without > 0);
    await window.getByRole('button', { name: 'Add a journey' }).click();
    await until(async () => (await price()) > without);
  });
});
