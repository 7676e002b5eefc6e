import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type LoginSite, startLoginSite, USER } from '../helpers/login-site.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/** Reports of sites with a login form: no login page is checked as content, and no page is missing. */

let service: TestApp;
before(async () => {
  service = await startTestApp();
});
after(() => service?.close());

const formOn = (origin: string, path = '/login') => [
  { open: origin + path },
  { fill: '#name', value: USER.name },
  { fill: '#password', secret: USER.password },
  { press: 'Enter' },
];

/** With HTML checks only, unless other checks are requested: most tests are about what the crawl gets. */
async function check(site: LoginSite, attributes: object): Promise<Item> {
  const all = { starting_url: `${site.origin}/`, rate_limit: 100, max_pages: 50 };
  const created = await service.ask('/reports', 'POST', { ...all, ...attributes });
  return service.finished(created.data.id);
}
const IN_BROWSER = { perform_html_checks: false, perform_a11y_checks: true };

const pathsOf = async (report: Item): Promise<string[]> =>
  (await service.all(`/reports/${report.id}/web_pages`))
    .map(({ attributes }) => new URL(attributes.url).pathname)
    .sort();
/** All pages are checked, and none of them is a login page. */
async function assertAllPages(report: Item, numPages: number): Promise<void> {
  assert.equal(report.attributes.crawl_error, null);
  const paths = ['/', '/deep', ...Array.from({ length: numPages }, (_, index) => `/page/${index}`)].sort();
  const pages = await service.all(`/reports/${report.id}/web_pages`);
  assert.deepEqual(
    pages.map(({ attributes: { url, title, status } }) => [new URL(url).pathname, title, status]).sort(),
    paths.map((path) => [path, `Page ${path}`, 'checked']),
  );
}
/** The rules with issues, and on how many pages. */
const rulesOf = async (report: Item): Promise<Record<string, number>> => {
  const issues = await service.all(`/reports/${report.id}/common_a11y_issues`);
  return Object.fromEntries(issues.map(({ attributes }) => [attributes.rule_id, attributes.num_web_pages]));
};

interface Shown {
  readonly done: boolean;
  readonly screenshot: string | null;
}

/** Two at a time, because logins mostly wait. */
describe('a login', { concurrency: 2 }, () => {
  test('a session that ends again and again is renewed, regardless of what the site shows then', async (t) => {
    for (const strangers of ['email', 'missing'] as const) {
      const site = await startLoginSite({ pages: 3, sessionPages: 4, strangers });
      t.after(site.stop);
      const steps = [
        { open: `${site.origin}/` },
        { fill: '#name', value: USER.name },
        { press: 'Enter' },
        { fill: '#password', secret: USER.password },
        { press: 'Enter' },
        { wait_for: { text: 'Deep' } },
      ];
      const login = strangers === 'email' ? { steps, signed_in: { text: 'Deep' } } : { steps: formOn(site.origin) };
      const report = await check(site, { login });
      await assertAllPages(report, 3);
      assert.ok(site.logins() >= 2, `${strangers}: ${site.logins()} logins`);
      const excluded = await service.all(`/reports/${report.id}/discovered_urls?filter%5Boutcome%5D=excluded`);
      assert.deepEqual(
        excluded.map(({ attributes }) => [new URL(attributes.url).pathname, attributes.detail_code]),
        [['/ende', 'link_signs_out']],
      );
      assert.equal(site.requests.filter(({ url }) => url === '/ende').length, 0);
    }
  });

  test('a page whose session ends each time fails at its own URL, not where strangers are sent', async (t) => {
    // The login itself needs the only page of each session.
    const site = await startLoginSite({ sessionPages: 1, strangers: 'hops' });
    t.after(site.stop);
    const report = await check(site, { login: { steps: formOn(site.origin, '/login') } });
    const [discovered] = await service.all(`/reports/${report.id}/discovered_urls`);
    const { url, target, detail_code: code } = discovered?.attributes ?? {};
    assert.deepEqual({ url, target, code }, { url: `${site.origin}/`, target: null, code: 'login_not_kept' });
  });

  test('no login page is checked as content if the password has been changed', async (t) => {
    const site = await startLoginSite({ pages: 3, sessionPages: 4, strangers: 'form', goodLogins: 1 });
    t.after(site.stop);
    const report = await check(site, { login: { steps: formOn(site.origin) } });
    const pages = await service.all(`/reports/${report.id}/web_pages`);
    assert.ok(pages.some(({ attributes }) => /^Page /.test(attributes.title)));
    assert.ok(!pages.some(({ attributes }) => attributes.title === 'Log in'));
    assert.equal(site.logins(), 1);
    const urls = await service.all(`/reports/${report.id}/discovered_urls`);
    const details = urls.map(({ attributes }) => String(attributes.detail));
    assert.ok(details.some((detail) => /^The login did not work: /.test(detail)));
    assert.ok(!(await pathsOf(report)).includes('/login'));
  });

  test('links are requested with the session', async (t) => {
    const site = await startLoginSite({ pages: 2, strangers: 'missing' });
    t.after(site.stop);
    const settings = { perform_html_checks: false, perform_link_checks: true };
    const report = await check(site, { ...settings, login: { steps: formOn(site.origin) } });
    assert.deepEqual(report.attributes.checks.link.status, { pending: 0, checked: 4, failed: 0 });
    assert.deepEqual(await service.all(`/reports/${report.id}/common_link_issues`), []);
    assert.ok(site.requests.filter(({ url }) => url === '/page/0').length > 1);
  });

  test('a token in local storage is there before the scripts of pages run', async (t) => {
    const site = await startLoginSite({ sessionPages: 6 });
    t.after(site.stop);
    const steps = [
      { open: `${site.origin}/app` },
      { fill: '#password', secret: USER.password },
      { click: '#go' },
      { wait_for: { text: 'Inside' } },
    ];
    const login = { steps, signed_in: { selector: '#inside' } };
    const report = await check(site, {
      ...IN_BROWSER,
      starting_url: `${site.origin}/app`,
      dynamic_crawler: true,
      login,
    });
    assert.equal(report.attributes.crawl_error, null);
    assert.deepEqual(await pathsOf(report), ['/app', '/app/one', '/app/two']);
    assert.deepEqual(report.attributes.checks.a11y.status, { pending: 0, checked: 3, failed: 0 });
    const rules = await rulesOf(report);
    assert.equal(rules['button-name'], 3);
    assert.equal(rules['select-name'], undefined);
  });

  test('a login leads through an identity provider on another host', async (t) => {
    const site = await startLoginSite();
    t.after(site.stop);
    const provider = site.origin.replace('127.0.0.1', 'localhost');
    const steps = [{ open: `${provider}/sso` }, ...formOn('').slice(1), { expect: { url: site.origin, text: 'Deep' } }];
    const report = await check(site, { ...IN_BROWSER, login: { steps } });
    assert.equal(report.attributes.crawl_error, null);
    assert.deepEqual(await pathsOf(report), ['/', '/deep']);
    // What pages send while they load must not change anything.
    assert.deepEqual([...new Set(site.methods)], ['GET']);
    const [deep] = await service.all(`/reports/${report.id}/web_pages?filter%5Burl%5D=%2Fdeep`);
    assert.match(
      deep?.attributes.a11y_check.note,
      /The page sent a request that may change something \(.*\/visits\), which was blocked/,
    );
  });

  test('a one-time password is entered once', async (t) => {
    const site = await startLoginSite({ hasCodes: true });
    t.after(site.stop);
    const steps = [...formOn(site.origin), { fill: '#code', totp: 'JBSWY3DPEHPK3PXP' }, { press: 'Enter' }];
    const report = await check(site, { ...IN_BROWSER, block_writes: false, login: { steps } });
    assert.deepEqual(await pathsOf(report), ['/', '/deep']);
    assert.match(site.codes.join(), /^\d{6}$/);
    assert.ok(site.methods.includes('POST'));
  });

  test('a login that does not work is not repeated, and nothing is checked', async (t) => {
    const site = await startLoginSite();
    t.after(site.stop);
    const wrong = formOn(site.origin).map((step) =>
      'secret' in step ? { ...step, secret: 'wrong-password-1' } : step,
    );
    const report = await check(site, { login: { steps: [...wrong, { expect: { text: 'Deep' } }] } });
    assert.equal(report.attributes.status, 'failed');
    assert.match(
      report.attributes.crawl_error,
      /^The login did not work: step 5 \(expect the text “Deep”\) failed: the page at /,
    );
    assert.equal(report.attributes.num_pages, 0);
    assert.equal(site.requests.filter(({ url }) => url === '/').length, 0);
    assert.ok(!service.logLines.some((line) => line.includes('wrong-password-1')));
  });

  test('a login is tried with a screenshot of each step, which shows no secret', async (t) => {
    const site = await startLoginSite();
    t.after(site.stop);
    const login = { steps: formOn(site.origin) };
    const created = await service.ask('/sites', 'POST', { starting_url: `${site.origin}/`, login });
    const path = `/sites/${created.data.id}/login_tests`;
    const { attributes: works } = (await service.ask(path, 'POST', {})).data;
    assert.deepEqual([works.works, works.error, works.failed_step, works.warning], [true, null, null, null]);
    const weak = { steps: login.steps, signed_in: { selector: 'main' } };
    const { attributes: warned } = (await service.ask(path, 'POST', { login: weak })).data;
    assert.match(warned.warning, /^The last page looks the same to signed-out visitors/);
    assert.equal(
      works.steps.filter(({ screenshot }: Shown) => screenshot?.startsWith('data:image/webp;base64,')).length,
      4,
    );
    // The field for the name shows what is entered there.
    const leaking = created.data.attributes.login.steps.map((step: object) =>
      'value' in step ? { ...step, value: USER.password } : step,
    );
    const { attributes: fails } = (
      await service.ask(path, 'POST', { login: { steps: [...leaking, { click: '#none' }] } })
    ).data;
    assert.deepEqual([fails.works, fails.failed_step, fails.error_code], [false, 5, 'login_failed']);
    assert.deepEqual(
      fails.steps.map(({ done, screenshot }: Shown) => [done, screenshot !== null]),
      [
        [true, true],
        ...[
          [true, false],
          [true, false],
          [true, true],
          [false, true],
        ],
      ],
    );
  });
});

test('a report continues with its session after a restart', async (t) => {
  const site = await startLoginSite({ pages: 5 });
  t.after(site.stop);
  const definition = { starting_url: `${site.origin}/`, rate_limit: 4, login: { steps: formOn(site.origin) } };
  const { data } = await service.ask('/reports', 'POST', definition);
  await until(() => site.requests.some(({ url }) => url === '/page/1'));
  await service.restart(async () => undefined);
  await assertAllPages(await service.finished(data.id), 5);
  assert.equal(site.logins(), 1);
});
