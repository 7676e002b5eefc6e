import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listDevices } from '../../src/browser/devices.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { pageWith, startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Link checks from request to results. */

interface Text {
  readonly text: string;
}

interface Sarif {
  readonly runs: [
    {
      readonly tool: {
        readonly driver: {
          readonly rules: readonly { readonly id: string; readonly shortDescription: Text; readonly help: Text }[];
        };
      };
      readonly results: readonly { readonly message: Text }[];
    },
  ];
}

let service: TestApp;
let site: TestSite;
let report: Item;

before(async () => {
  site = await startTestSite({
    '/': pageWith('/about', '/file.pdf', '/gone.pdf'),
    '/about': pageWith('/', '/gone.pdf', '/busy'),
    '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
    '/busy': { status: 503 },
  });
  service = await startTestApp({}, {}, WITHOUT_BROWSER);
  const phone = listDevices().find(({ name }) => name === 'iPhone 15');
  const checks = { perform_html_checks: false, perform_link_checks: true, store_raw_link_checks: true };
  report = await ended({ device_id: phone?.id, ...checks });
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function ended(attributes: object): Promise<Item> {
  const definition = { starting_url: `${site.origin}/`, rate_limit: 50, max_pages: 2, ...attributes };
  return service.finished((await service.ask('/reports', 'POST', definition)).data.id);
}

describe('link checks', () => {
  it('have a rule for each type of fault in SARIF, which names no link, and says what to do', async () => {
    const { runs } = await service.ask<Sarif>(`/reports/${report.id}/export?format=sarif`);
    const [{ tool, results }] = runs;
    const rules = tool.driver.rules.map(({ id, shortDescription, help }) => [id, shortDescription.text, help.text]);
    assert.deepEqual(rules.toSorted(), [
      ['link/http_404', 'Link returns 404', 'Fix the URL, or remove the link.'],
      [
        'link/http_503/review',
        'Link returns 503',
        'Open the link. If it works, mute the issue: the link could not be checked reliably.',
      ],
    ]);
    assert.equal(results[0]?.message.text, `Link returns 404: ${site.origin}/gone.pdf`);
  });

  it('count broken links, and list each once with its pages', async () => {
    const { status, perform_link_checks: isOn, checks } = report.attributes;
    assert.deepEqual([status, isOn, checks.html], ['finished', true, null]);
    assert.deepEqual(checks.link, {
      status: { pending: 0, checked: 2, failed: 0 },
      pages: { passed: 0, with_errors: 2 },
      issues: { errors: 2, warnings: 1 },
    });
    const path = `/reports/${report.id}`;
    const common = await service.all(`${path}/common_link_issues`);
    assert.deepEqual(
      common.map(({ attributes }) => [
        attributes.issue_type,
        attributes.rule_id,
        attributes.message,
        attributes.num_web_pages,
      ]),
      [
        ['error', 'http_404', `Link returns 404: ${site.origin}/gone.pdf`, 2],
        ['warning', 'http_503', `Link returns 503: ${site.origin}/busy`, 1],
      ],
    );
    const filtered = await service.all(`${path}/web_pages?filter[common_link_issue_id]=${common[0]?.id}`);
    assert.deepEqual(
      filtered.map(({ attributes }) => [attributes.link_check.errors, attributes.link_check.status]),
      [
        [1, 'checked'],
        [1, 'checked'],
      ],
    );
    const issues = await service.all(`${path}/web_pages/${filtered[0]?.id}/link_issues`);
    const url = `${site.origin}/gone.pdf`;
    const [{ fingerprint, ...occurrence }, ...others] = issues.flatMap(({ attributes }) => attributes.links);
    assert.match(fingerprint, /^[0-9a-f]{32}$/);
    assert.deepEqual([occurrence, others], [{ url, final_url: url, change: null, recheck: null }, []]);
    const raw = await service.ask(`${path}/web_pages/${filtered[0]?.id}/raw_link_check`);
    assert.equal(raw.data.attributes.raw.links.length, 3);
  });

  it('request links as the device of the report', async () => {
    assert.ok(site.requests.some(({ url }) => url === '/file.pdf'));
    assert.deepEqual(
      site.requests.filter(({ userAgent }) => !/iPhone.* sitewarden\//.test(userAgent)),
      [],
    );
  });

  it('are omitted from responses for reports without them', async () => {
    const { attributes, id } = await ended({ deep_crawl: false, max_pages: 1 });
    assert.deepEqual(Object.keys(attributes.checks), ['html', 'a11y']);
    assert.ok(!('perform_link_checks' in attributes));
    const [page] = await service.all(`/reports/${id}/web_pages`);
    assert.ok(page !== undefined && !('link_check' in page.attributes));
    assert.ok(!('link_issues' in page.relationships));
  });
});
