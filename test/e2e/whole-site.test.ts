import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { docsPage } from '../../src/api/openapi/docs-page.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { parseVnuOutput, type VnuMessage } from '../../src/checks/html/vnu-output.ts';
import { VERSION } from '../../src/platform/version.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { siteWith, startTestSite, type TestSite } from '../helpers/test-site.ts';

/**
 * A real site, through the API: the report has the validator's messages for the same files.
 * `test/contract/html-exactness.test.ts` compares them with its command line.
 */

/** They repeat parts of the others. */
const EXCLUSIONS = ['/utilities-', '/blank', '/buttons', '/charts', '/tables', '/login', '/forgot-password', '/cards'];
const SITE = join(import.meta.dirname, '../../node_modules/startbootstrap-sb-admin-2');
const CONTACT = 'https://contact.example/checks';
let service: TestApp;
let site: TestSite;
let report: Item;
let pages: Item[];
/** The validator's messages for the file of each page. */
let theirsByPage: readonly (readonly VnuMessage[])[];
const validate = htmlValidator();

before(async () => {
  service = await startTestApp({ SITEWARDEN_CONTACT_URL: CONTACT });
  site = await startTestSite({ directory: SITE });
  const created = await service.ask('/reports', 'POST', {
    starting_url: `${site.origin}/`,
    max_pages: 50,
    exclusions: EXCLUSIONS,
    rate_limit: 100,
    perform_a11y_checks: true,
    store_raw_html_checks: true,
    store_raw_a11y_checks: true,
  });
  report = await service.finished(created.data.id);
  pages = await service.all(`/reports/${report.id}/web_pages`);
  const files = pages.map((page) => join(SITE, new URL(page.attributes.url).pathname.replace(/\/$/, '/index.html')));
  const outputs = await Promise.all(files.map((file) => validate(readFileSync(file))));
  theirsByPage = outputs.map((output) => parseVnuOutput(output).messages);
});
after(async () => {
  await service.close();
  await site.stop();
});

test('every page of the site is found and checked', () => {
  const linked = globSync('*.html', { cwd: SITE })
    .map((name) => `/${name}`)
    .filter((path) => !EXCLUSIONS.some((exclusion) => path.startsWith(exclusion)));
  const found = pages.map((page) => page.attributes.url.replace(site.origin, ''));
  assert.deepEqual(found.toSorted(), ['/', ...linked].toSorted());
  assert.equal(report.attributes.status, 'finished');
  assert.equal(report.attributes.num_pages, found.length);
  assert.deepEqual(report.attributes.checks.html.status, { pending: 0, checked: found.length, failed: 0 });
  assert.deepEqual(report.attributes.checks.a11y.status, { pending: 0, checked: found.length, failed: 0 });
  for (const page of pages) assert.equal(page.attributes.status, 'checked');
});

test('every document is requested once by the spider', () => {
  const ours = site.requests.filter((request) => request.userAgent.startsWith('sitewarden'));
  assert.deepEqual(
    ours.map((request) => request.url).toSorted(),
    pages.map((page) => page.attributes.url.replace(site.origin, '')).toSorted(),
  );
  const documents = site.requests.filter((request) => /(\.html|\/)$/.test(request.url));
  assert.equal(documents.length, ours.length, 'the browser is given the documents, it does not request them');
});

test('every request, of spider and browser, has the product token and the contact URL', () => {
  const product = `sitewarden/${VERSION} (+${CONTACT})`;
  const userAgents = [...new Set(site.requests.map(({ userAgent }) => userAgent))];
  assert.equal(userAgents.length, 2);
  assert(userAgents.includes(product));
  assert(
    userAgents.some((userAgent) => /^Mozilla\/5\.0 .*Chrome/.test(userAgent) && userAgent.endsWith(` ${product}`)),
  );
});

test('the HTML issues of every page are the messages of the validator', async () => {
  let compared = 0;
  for (const [index, page] of pages.entries()) {
    const issues = await service.all(`/reports/${report.id}/web_pages/${page.id}/html_issues?page[size]=7`);
    const ours = issues.flatMap(({ attributes }) => {
      assert.equal(attributes.how_many, attributes.html.length);
      assert(attributes.tags.length > 0);
      return attributes.html.map(({ coordinates }: { coordinates: { last_line: number; last_column: number } }) =>
        [
          attributes.issue_type,
          attributes.issue_sub_type,
          attributes.message,
          coordinates.last_line,
          coordinates.last_column,
        ].join('|'),
      );
    });
    const theirs = (theirsByPage[index] ?? []).map((message) => {
      const isError = message.type === 'error';
      const subType = isError ? (message.subType ?? null) : message.subType === 'warning' ? null : 'info';
      return [
        isError ? 'error' : 'warning',
        subType,
        message.message,
        message.lastLine ?? 0,
        message.lastColumn ?? 0,
      ].join('|');
    });
    assert.deepEqual(ours.toSorted(), theirs.toSorted(), page.attributes.url);
    const { errors, warnings } = page.attributes.html_check;
    assert.equal(errors + warnings, theirs.length);
    assert.equal(errors, theirs.filter((line) => line.startsWith('error')).length);
    compared += theirs.length;
  }
  assert(compared > 50, `${compared} messages compared`);
});

test('the raw HTML checks are the output of the validator, field by field', async () => {
  for (const [index, page] of pages.entries()) {
    const { attributes } = (await service.ask(page.relationships.raw_html_check.links.related)).data;
    assert.deepEqual([attributes.kind, attributes.omitted], ['html', 0]);
    // The language is missing if the validator cannot detect it, as on pages with little text.
    const { url, messages, language: _, version, ...rest } = attributes.raw;
    assert.equal(url, page.attributes.url);
    assert.deepEqual(rest, {});
    assert.match(version, /^\d/);
    assert.deepEqual(messages, theirsByPage[index]);
  }
});

test('the raw accessibility checks have every outcome of axe', async () => {
  for (const page of pages) {
    const { attributes } = (await service.ask(page.relationships.raw_a11y_check.links.related)).data;
    assert.deepEqual([attributes.kind, attributes.omitted], ['a11y', 0]);
    const { violations, incomplete, passes, inapplicable, url } = attributes.raw;
    assert.equal(url, page.attributes.url);
    const elements = (rules: { nodes: unknown[] }[]) => rules.reduce((sum, { nodes }) => sum + nodes.length, 0);
    assert.equal(elements(violations), page.attributes.a11y_check.errors);
    assert.equal(elements(incomplete), page.attributes.a11y_check.warnings);
    assert(elements(passes) > 20 && inapplicable.length > 20);
  }
});

test('accessibility issues have every attribute, and counts add up from page to report', async () => {
  await assertCountsAddUp(service.app.db, report.id);
  const sums = { errors: 0, warnings: 0 };
  for (const page of pages) {
    const issues = await service.all(`/reports/${report.id}/web_pages/${page.id}/a11y_issues`);
    for (const { attributes } of issues) {
      assert.equal(attributes.how_many, attributes.html.length);
      assert.match(attributes.help_url, /^https:\/\/dequeuniversity\.com\//);
      assert(attributes.impact_order >= 1 && attributes.impact_order <= 4);
      assert.equal(new URL(attributes.url).origin, site.origin);
      sums[attributes.issue_type === 'error' ? 'errors' : 'warnings'] += attributes.how_many;
    }
  }
  const { issues } = report.attributes.checks.a11y;
  assert.deepEqual({ errors: issues.errors, warnings: issues.warnings }, sums);
  assert.equal(issues.severity.total.total, sums.errors + sums.warnings);
  assert(sums.errors > 0);
});

test('common issues lead to the pages that have them', async () => {
  for (const kind of ['html', 'a11y'] as const) {
    const common = await service.all(`/reports/${report.id}/common_${kind}_issues`);
    assert(common.length > 0);
    for (const issue of common) {
      const affected = await service.all(issue.relationships.web_pages.links.related);
      assert.equal(affected.length, issue.attributes.num_web_pages);
    }
    const sum = common.reduce((total, issue) => total + issue.attributes.how_many, 0);
    const { errors, warnings } = report.attributes.checks[kind].issues;
    assert.equal(sum, errors + warnings);
  }
});

test('a report on a device is crawled as that device: one request for a page, whose response both checks use', async () => {
  const page = (content: string) =>
    `<!DOCTYPE html><html lang="en"><title>Page</title><main><h1>Page</h1>${content}</main></html>`;
  let wasBusy = false;
  const phones = await startTestSite({
    '/': ({ headers }, response) => {
      const isPhone = /iPhone/.test(headers['user-agent'] ?? '');
      if (isPhone && !wasBusy) {
        wasBusy = true;
        response.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      response.setHeader('content-type', 'text/html');
      response.setHeader('cache-control', 'max-age=600');
      response.end(page(isPhone ? '<p id="x"><p id="x"><img src="data:,">' : ''));
    },
  });
  try {
    const attributes = {
      starting_url: `${phones.origin}/`,
      rate_limit: 50,
      perform_a11y_checks: true,
      device_id: IPHONE_15,
    };
    const { data } = await service.ask('/reports', 'POST', attributes);
    const rulesAndMessages = async () => {
      const { attributes: found, relationships } = await service.finished(data.id);
      assert.equal(found.status, 'finished');
      assert.match(relationships.device.links.related, new RegExp(`/devices/${IPHONE_15}$`));
      const a11y = await service.all(`/reports/${data.id}/common_a11y_issues`);
      const html = await service.all(`/reports/${data.id}/common_html_issues`);
      return [...a11y.map((issue) => issue.attributes.rule_id), ...html.map((issue) => issue.attributes.message)];
    };
    const expected = ['image-alt', 'Duplicate ID “x”.'];
    assert.deepEqual(
      (await rulesAndMessages()).filter((name) => expected.includes(name)),
      expected,
    );
    const [first] = await service.all(`/reports/${data.id}/web_pages`);
    await service.ask(`/reports/${data.id}/web_pages/${first?.id}`, 'PATCH', { status: 'pending' });
    assert.deepEqual(
      (await rulesAndMessages()).filter((name) => expected.includes(name)),
      expected,
    );
    const asked = phones.requests.filter(({ url }) => url === '/').map(({ userAgent }) => userAgent);
    assert.equal(asked.length, 3, 'the site was busy first, and the page was re-checked');
    for (const userAgent of asked) assert.match(userAgent, /^Mozilla\/5\.0 \(iPhone.* sitewarden\//);
  } finally {
    await phones.stop();
  }
});

test('a re-checked page has the same issues, and a deleted one is in no count', async () => {
  const [page, other] = pages;
  assert(page !== undefined && other !== undefined);
  const path = `/reports/${report.id}/web_pages/${page.id}`;
  const shown = async () => {
    const issues = [...(await service.all(`${path}/html_issues`)), ...(await service.all(`${path}/a11y_issues`))];
    const withoutRecheck = (key: string, value: unknown) => (key === 'recheck' ? undefined : value);
    return issues.map(({ attributes: { inserted_at: _i, updated_at: _u, ...rest } }) =>
      JSON.parse(JSON.stringify(rest, withoutRecheck)),
    );
  };
  const before = await shown();
  const raw = async () => (await service.ask(`${path}/raw_html_check`)).data;
  const rawBefore = await raw();
  const requests = site.requests.length;
  const patched = await service.ask(path, 'PATCH', { status: 'pending' });
  assert.equal(patched.data.attributes.status, 'pending');
  const again = await service.finished(report.id);
  assert(site.requests.length > requests, 'the page was fetched again');
  assert.deepEqual(await shown(), before);
  assert.deepEqual(await raw(), rawBefore);
  assert.deepEqual(again.attributes.checks, report.attributes.checks);
  await assertCountsAddUp(service.app.db, report.id);

  await service.ask(`/reports/${report.id}/web_pages/${other.id}`, 'DELETE');
  await assertCountsAddUp(service.app.db, report.id);
  const smaller = (await service.ask(`/reports/${report.id}`)).data;
  assert.equal(smaller.attributes.num_pages, pages.length - 1);
  assert.equal(
    smaller.attributes.checks.html.issues.errors,
    report.attributes.checks.html.issues.errors - other.attributes.html_check.errors,
  );
  const excluded = await service.all(`/reports/${report.id}/excluded_urls`);
  assert.deepEqual(
    excluded.map(({ attributes }) => [attributes.url, attributes.reason]).filter(([, reason]) => reason === 'deleted'),
    [[other.attributes.url, 'deleted']],
  );
  await assert.rejects(service.ask(other.relationships.raw_html_check.links.related), /404/);
});

test('the reference of the API passes the checks itself', async (t) => {
  const check = async (starting_url: string, perform_a11y_checks: boolean) => {
    const definition = { starting_url, max_pages: 1, perform_a11y_checks };
    const { data } = await service.ask('/reports', 'POST', definition);
    const { html, a11y } = (await service.finished(data.id)).attributes.checks;
    assert.deepEqual([html.status.checked, html.issues.errors, html.issues.warnings], [1, 0, 0]);
    return a11y;
  };
  await check(service.api.replace(/v1$/, 'docs'), false);
  // The whole page takes the browser ten seconds of processor time.
  const some = openApiDocument(
    ENDPOINTS.filter((_, index) => index % 24 === 0),
    'http://127.0.0.1',
  );
  const excerpt = await siteWith(t, { '/': docsPage(some) });
  const { status, issues } = await check(`${excerpt.origin}/`, true);
  assert.equal(status.checked, 1);
  assert.deepEqual(issues.severity.total, { errors: 0, warnings: 0, total: 0 });
});
