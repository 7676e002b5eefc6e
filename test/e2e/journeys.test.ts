import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { wrongInReport } from '../../src/store/recount/recount.ts';
import { type DirectAxe, startDirectAxe } from '../helpers/direct-axe.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { startLoginSite, USER } from '../helpers/login-site.ts';
import { runHere } from '../helpers/run-here.ts';
import { type ShopSite, startShopSite } from '../helpers/shop-site.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Journeys through a shop whose menu, cart and form errors exist only after clicks. */

let service: TestApp;
let axe: DirectAxe;
/** Of the first tests, and its report. */
let shop: ShopSite;
let whole: Item;
const validate = htmlValidator();
before(async () => {
  service = await startTestApp({}, {}, ['html', 'a11y']);
  axe = await startDirectAxe(['--no-sandbox']);
  shop = await startShopSite();
  whole = await check(shop);
});
after(async () => {
  await shop?.stop();
  await service?.close();
  await axe?.close();
});

const CARD = '5999-1234-5678-9012';
const NAME = 'Buying a pear';
const BUYING = {
  name: NAME,
  steps: [
    { open: '/' },
    { check: 'Start' },
    { click: '#menu' },
    { check: 'Menu' },
    { click: '#add' },
    { click: '#go' },
    { check: 'Cart / filled' },
    { fill: '#card', secret: CARD },
    { click: '#send' },
    { expect: { text: 'has to begin with 4' } },
    { check: 'Errors' },
  ],
};
const MARKS = ['Start', 'Menu', 'Cart / filled', 'Errors'];

async function check(site: TestSite, attributes: object = {}): Promise<Item> {
  const all = { starting_url: `${site.origin}/`, rate_limit: 100, perform_a11y_checks: true, journeys: [BUYING] };
  const created = await service.ask('/reports', 'POST', { ...all, ...attributes });
  return service.finished(created.data.id);
}

const HTML_ONLY = { perform_a11y_checks: false };

const pathOf = (report: Item, page: Item): string => `/reports/${report.id}/web_pages/${page.id}`;
const marksOf = (report: Item): Promise<Item[]> =>
  service.all(`/reports/${report.id}/web_pages?filter%5Bjourney%5D=${encodeURIComponent(NAME)}`);
const sorted = (found: Iterable<readonly [string, number]>) => [...found].sort(([a], [b]) => (a < b ? -1 : 1));

/** Rules or messages with their number of occurrences on a page. */
async function findingsOn(report: Item, page: Item, kind: 'a11y' | 'html') {
  const issues = await service.all(`${pathOf(report, page)}/${kind}_issues`);
  return sorted(
    issues.map(({ attributes }) => [attributes.rule_id ?? attributes.message, attributes.how_many] as const),
  );
}

/** What axe itself finds at the marks, when the steps are done by hand. */
async function directFindings(site: ShopSite): Promise<ReturnType<typeof sorted>[]> {
  const { page, results } = await axe.open();
  const found: ReturnType<typeof sorted>[] = [];
  const look = async (): Promise<void> => {
    const { violations, incomplete } = await results();
    found.push(sorted([...violations, ...incomplete].map(({ id, nodes }) => [id, nodes.length] as const)));
  };
  await page.goto(`${site.origin}/`);
  await look();
  await page.click('#menu');
  await look();
  await page.click('#add');
  await page.click('#go');
  await look();
  await page.fill('#card', CARD);
  await page.click('#send');
  await look();
  await page.close();
  return found;
}

async function sourceOf(report: Item, page: Item): Promise<string> {
  const { data } = await service.ask(`${pathOf(report, page)}/source`);
  return data.attributes.text;
}

test('marks are pages, with the same findings as from axe and vnu on the same DOM', async () => {
  const [site, report] = [shop, whole];
  assert.equal(report.attributes.crawl_error, null);
  assert.deepEqual(report.attributes.checks.a11y.status, { pending: 0, checked: 6, failed: 0 });
  assert.deepEqual(report.attributes.checks.html.status, { pending: 0, checked: 6, failed: 0 });
  // The crawl finds the two pages of the shop; the menu links to nothing that it does not know.
  assert.equal(report.attributes.num_pages, 6);
  const marks = await marksOf(report);
  assert.deepEqual(
    marks.map(({ attributes: { journey, journey_step, is_rendered_dom } }) => [journey, journey_step, is_rendered_dom]),
    MARKS.map((step) => [NAME, step, true]),
  );
  assert.equal(marks[2]?.attributes.url, `${site.origin}/#journey/Buying%20a%20pear/Cart%20%2F%20filled`);
  assert.match(marks[2]?.attributes.reached_url, /\/cart\?visit=\d+$/);
  assert.equal(site.added.length, 1);

  const direct = await directFindings(site);
  assert.deepEqual(await Promise.all(marks.map((mark) => findingsOn(report, mark, 'a11y'))), direct);
  // Each state has something that the one before does not have.
  assert.equal(new Set(direct.map((found) => JSON.stringify(found))).size, 4);
  for (const mark of marks) {
    const source = await sourceOf(report, mark);
    const { messages } = JSON.parse((await validate(source)).toString());
    const counts = Map.groupBy(messages as { message: string }[], ({ message }) => message);
    const expected = sorted([...counts].map(([message, all]) => [message, all.length] as const));
    assert.deepEqual(await findingsOn(report, mark, 'html'), expected);
    assert.ok(!source.includes(CARD));
    const { data: screenshot } = await service.ask(`${pathOf(report, mark)}/screenshot`);
    const image = await fetch(screenshot.attributes.image_url);
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/webp']);
  }
  assert.match(await sourceOf(report, marks[3] as Item), /The number has to begin with 4/);
  assert.ok(!service.logLines.some((line) => line.includes(CARD)));
  assert.ok(!JSON.stringify(report).includes(CARD));
});

test('a mark is compared with its earlier self, and can be checked again', async () => {
  const site = shop;
  site.change({ cart: '<img src=data:, alt=Pear>' });
  const second = await check(site, { only_journeys: true });
  assert.deepEqual([second.attributes.num_pages, second.attributes.status], [4, 'finished']);
  await service.compared(second.id);
  const { data: changes } = await service.ask(`/reports/${second.id}/changes?filter%5Bchange%5D=fixed`);
  assert.deepEqual(
    changes.map(({ attributes }: Item) => [
      attributes.rule_id ?? attributes.message.slice(0, 20),
      attributes.occurrences.fixed,
    ]),
    [
      ['image-alt', 2],
      ['An “img” element mus', 2],
    ],
  );
  const { data: changed } = await service.ask(`/reports/${second.id}/changes/pages`);
  assert.deepEqual(
    changed.filter(({ attributes }: Item) => attributes.url.includes('#journey')),
    [],
  );

  const before = site.added.length;
  site.change({ cart: '<img src=data:,> <font>Sale</font>' });
  const marks = await marksOf(second);
  const cart = marks[2] as Item;
  await service.ask(pathOf(second, cart), 'PATCH', { status: 'pending' });
  await service.finished(second.id);
  assert.equal(site.added.length, before + 1);
  const { attributes } = (await service.ask(pathOf(second, cart))).data;
  assert.equal(attributes.a11y_check.recheck.new, 1);
  assert.equal(attributes.html_check.recheck.new, 2);
  assert.notEqual(attributes.reached_url, cart.attributes.reached_url);
  const others = (await marksOf(second)).filter(({ id }) => id !== cart.id);
  assert.ok(
    others.every(
      ({
        attributes: {
          a11y_check: { recheck },
        },
      }) => recheck === null,
    ),
  );
});

test('a failing step fails the later marks, which name it and show the page', async (t) => {
  const site = await startShopSite();
  t.after(site.stop);
  site.change({ button: 'pay-now' });
  const report = await check(site, { ...HTML_ONLY, only_journeys: true });
  const marks = await marksOf(report);
  assert.deepEqual(
    marks.map(({ attributes: { status } }) => status),
    ['checked', 'checked', 'checked', 'failed'],
  );
  const failed = marks[3] as Item;
  assert.equal(
    failed.attributes.html_check.error,
    'Step 9 of the journey (click “#send”) failed: no element matched the selector within 10 seconds',
  );
  assert.equal(failed.attributes.html_check.error_code, 'journey_step_failed');
  assert.match(failed.attributes.reached_url, /\/cart\?visit=/);
  const { data: screenshot } = await service.ask(`${pathOf(report, failed)}/screenshot`);
  assert.equal((await fetch(screenshot.attributes.image_url)).status, 200);

  const { rows: wrong } = await wrongInReport(sql`${sql.lit(report.id)}::uuid`).execute(service.app.db);
  assert.deepEqual(wrong, []);

  // Once the shop is as before, a re-check finds the mark.
  site.change({ button: 'send' });
  await service.ask(pathOf(report, failed), 'PATCH', { status: 'pending' });
  await service.finished(report.id);
  const { attributes } = (await service.ask(pathOf(report, failed))).data;
  assert.deepEqual([attributes.status, attributes.title, attributes.is_rendered_dom], ['checked', 'Cart', true]);
});

test('a failure after the last mark fails the end of the journey, which a re-check checks', async (t) => {
  let status = 500;
  const page = '<!DOCTYPE html><html lang=en><title>Paid</title><main><h1>Paid</h1></main></html>';
  const site = await startTestSite({
    '/': page,
    '/paid': (_, response) => void response.writeHead(status, { 'content-type': 'text/html' }).end(page),
  });
  t.after(site.stop);
  const steps = [{ open: '/' }, { check: 'Start' }, { open: '/paid' }];
  const report = await check(site, { ...HTML_ONLY, only_journeys: true, journeys: [{ name: NAME, steps }] });
  assert.deepEqual(report.attributes.checks.html.status, { pending: 0, checked: 1, failed: 1 });
  assert.equal(report.attributes.num_pages, 2);
  const { attributes: end, ...item } = (await marksOf(report))[1] as Item;
  assert.deepEqual(
    [end.status, end.journey, end.journey_step, end.url, end.reached_url],
    ['failed', NAME, null, `${site.origin}/#journey/Buying%20a%20pear/`, `${site.origin}/paid`],
  );
  assert.match(end.html_check.error, /^Step 3 of the journey \(open “\/paid”\) failed: .*500/);
  const path = pathOf(report, { ...item, attributes: end });
  const { data: screenshot } = await service.ask(`${path}/screenshot`);
  assert.equal((await fetch(screenshot.attributes.image_url)).status, 200);

  // Once all steps work, there is a page at the end, which is checked.
  status = 200;
  await service.ask(path, 'PATCH', { status: 'pending' });
  await service.finished(report.id);
  const { attributes } = (await service.ask(path)).data;
  assert.deepEqual([attributes.status, attributes.title, attributes.journey_step], ['checked', 'Paid', null]);
});

test('a journey is tried after the login, with a screenshot of each step, and nothing is stored', async (t) => {
  const site = await startLoginSite({ strangers: 'missing' });
  t.after(site.stop);
  const login = {
    steps: [
      { open: `${site.origin}/login` },
      { fill: '#name', value: USER.name },
      { fill: '#password', secret: USER.password },
      { press: 'Enter' },
    ],
  };
  const created = await service.ask('/sites', 'POST', { starting_url: `${site.origin}/`, login });
  const path = `/sites/${created.data.id}/journey_tests`;
  const steps = [
    { open: '/' },
    { check: 'Home' },
    { open: '/deep' },
    { expect: { text: 'No such text' } },
    { press: 'Tab' },
  ];
  const { attributes: tried } = (await service.ask(path, 'POST', { journey: { name: NAME, steps } })).data;
  assert.deepEqual([tried.works, tried.failed_step, tried.error_code], [false, 4, 'journey_step_failed']);
  assert.match(
    tried.error,
    /^Step 4 of the journey \(expect the text “No such text”\) failed: the page at .*\/deep did not meet the condition/,
  );
  assert.deepEqual(
    tried.steps.map(({ action, done, screenshot }: Record<string, unknown>) => [action, done, screenshot !== null]),
    [
      ['open', true, true],
      ['check', true, true],
      ['open', true, true],
      ['expect', false, true],
      ['press', false, false],
    ],
  );
  // A schedule has its own secrets.
  const own = { name: NAME, steps: [{ open: '/' }, { fill: 'input', secret: CARD }, { check: 'Home' }] };
  const scheduled = { site_id: created.data.id, periodicity: { every: 'week' }, journeys: [own] };
  const { data: schedule } = await service.ask('/schedules', 'POST', scheduled);
  const kept = { journey: schedule.attributes.journeys[0], schedule_id: schedule.id };
  const { attributes: ofSchedule } = (await service.ask(path, 'POST', kept)).data;
  assert.equal(ofSchedule.works, true);
  await assert.rejects(service.ask(path, 'POST', { journey: kept.journey }), /must be entered again/);
  await assert.rejects(service.ask(path, 'POST', { ...kept, schedule_id: created.data.id }), /a schedule of the site/);
  const stored = (await service.ask(`/sites/${created.data.id}`)).data.attributes;
  assert.deepEqual([stored.journeys, stored.num_reports], [[], 0]);
  // A fault names the step.
  await assert.rejects(
    service.ask(path, 'POST', { journey: { name: NAME, steps: [{ open: '/' }, { fil: '#card', value: '1' }] } }),
    /journey\.steps\[1\]|journey\/steps\/1/,
  );
});

test('check runs a journey of the configuration file alone', async (t) => {
  const site = await startShopSite();
  const directory = mkdtempSync(join(tmpdir(), 'sitewarden-journeys-'));
  t.after(async () => {
    rmSync(directory, { recursive: true });
    await site.stop();
  });
  const file = join(directory, 'sitewarden.yaml');
  const steps = BUYING.steps.map((step) => ('secret' in step ? { fill: step.fill, secret_env: 'CARD' } : step));
  const about = { name: 'About', steps: [{ open: '/about' }, { check: 'Page' }] };
  writeFileSync(
    file,
    JSON.stringify({
      sites: [
        { starting_url: `${site.origin}/`, journeys: [{ name: NAME, steps: [...steps, { open: '/missing' }] }, about] },
      ],
    }),
  );
  const run = (...args: string[]) =>
    runHere(['check', '--config', file, '--no-html', ...args], { ...service.environment, CARD });
  // The step after the last mark fails.
  const failed = await run('--journey', NAME, '--format', 'json');
  assert.equal(failed.status, 1, failed.stderr);
  assert.match(failed.stderr, /^Performing the journeys …$/m);
  assert.doesNotMatch(failed.stderr, /starting page/);
  assert.match(failed.stderr, /Buying a pear › end\n +Step 12 of the journey \(open “\/missing”\) failed/);
  assert.match(failed.stderr, /Failed: .*1 unchecked page/);
  const { web_pages: pages } = JSON.parse(failed.stdout);
  assert.deepEqual(
    pages.map(({ journey_step }: { journey_step: string | null }) => journey_step),
    [...MARKS, null],
  );
  const unknown = await run('--journey', 'Paying');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /has no journey named Paying: it has Buying a pear, About\./);
  assert.ok(!failed.stdout.includes(CARD));
  const withoutFile = await runHere(['check', `${site.origin}/`, '--journey', NAME], service.environment);
  assert.equal(withoutFile.status, 2);
  assert.match(withoutFile.stderr, /--journey selects a journey of a configuration file: add --config FILE/);
});

test('a journey begins with the session of the report, which is renewed when it has ended', async (t) => {
  const site = await startLoginSite({ pages: 2, sessionPages: 4 });
  t.after(site.stop);
  const login = {
    steps: [
      { open: `${site.origin}/login` },
      { fill: '#name', value: USER.name },
      { fill: '#password', secret: USER.password },
      { press: 'Enter' },
    ],
  };
  const steps = [
    { open: '/' },
    { check: 'Home' },
    { open: '/deep' },
    { check: 'Deep' },
    { open: '/page/1' },
    { check: 'One' },
  ];
  const report = await check(site, { ...HTML_ONLY, login, journeys: [{ name: NAME, steps }] });
  const marks = await marksOf(report);
  assert.deepEqual(
    marks.map(({ attributes: { status, title } }) => [status, title]),
    [
      ['checked', 'Page /'],
      ['checked', 'Page /deep'],
      ['checked', 'Page /page/1'],
    ],
  );
  // Steps may change something, although pages outside of journeys may not.
  assert.ok(site.methods.includes('POST'));
});

test('a journey signs in by its own steps, with a one-time password', async (t) => {
  const site = await startLoginSite({ hasCodes: true });
  t.after(site.stop);
  const key = 'JBSWY3DPEHPK3PXP';
  const steps = [
    { open: '/login' },
    { fill: '#name', value: USER.name },
    { fill: '#password', secret: USER.password },
    { press: 'Enter' },
    { fill: '#code', totp: key },
    { press: 'Enter' },
    { wait_for: { text: 'Deep' } },
    { check: 'Inside' },
  ];
  const report = await check(site, { ...HTML_ONLY, only_journeys: true, journeys: [{ name: NAME, steps }] });
  const [mark] = await marksOf(report);
  const { status, title, reached_url, signed_in } = mark?.attributes ?? assert.fail();
  assert.deepEqual([status, title, reached_url], ['checked', 'Page /', `${site.origin}/`]);
  assert.match(site.codes.join(), /^\d{6}$/);
  // What the steps do is not taken into account.
  assert.equal(signed_in, null);
  assert.ok(!JSON.stringify(report).includes(key));
  assert.ok(!service.logLines.some((line) => line.includes(key) || line.includes(USER.password)));
});

test('what a journey keeps in storage lasts, although the session began with another value', async (t) => {
  const page = (content: string) =>
    `<!DOCTYPE html><html lang=en><title>Cart</title><main><h1>Cart</h1>${content}</main></html>`;
  const site = await startTestSite({
    '/': page('<p>Home'),
    '/in': page('<p>Signed in</p><script>localStorage.setItem("items", "0")</script>'),
    '/cart': page(
      '<p id=items></p><script>localStorage.items = Number(localStorage.items) + 1; items.textContent = "Items: " + localStorage.items</script>',
    ),
  });
  t.after(site.stop);
  const steps = [
    { open: '/cart' },
    { expect: { text: 'Items: 1' } },
    { open: '/cart' },
    { expect: { text: 'Items: 2' } },
    { check: 'Two items' },
    // A step that may change something, before which the session is looked at.
    { press: 'Tab' },
  ];
  const created = await service.ask('/reports', 'POST', {
    ...{ starting_url: `${site.origin}/`, rate_limit: 100, only_journeys: true, journeys: [{ name: NAME, steps }] },
    login: { steps: [{ open: `${site.origin}/in` }], signed_in: { text: 'Signed in' } },
  });
  const report = await service.finished(created.data.id);
  const [mark] = await marksOf(report);
  assert.deepEqual([mark?.attributes.html_check.error, mark?.attributes.signed_in], [null, 'login']);
  assert.match(await sourceOf(report, mark as Item), /Items: 2/);
});
