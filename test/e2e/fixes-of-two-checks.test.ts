import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listFixes } from '../../src/store/fixes.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** What HTML and accessibility checks report of the same element is one entry of the plan. */

const page = (body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}` +
  '<a href="/">Home</a> <a href="/two">Two</a> <a href="/three">Three</a></main></body></html>';
const NO_ALT = '<img src="/logo.png">';
const BAD_ROLE = '<div role="buton">Go</div>';

let service: TestApp;
let site: TestSite;
before(async () => {
  service = await startTestApp();
  site = await startTestSite({
    '/': { body: page(`<p>${NO_ALT}</p>`) },
    // Another image, which only the HTML check finds: it is hidden.
    '/two': { body: page(`<p>${NO_ALT}</p><p hidden><img src="/hidden.png"></p>`) },
    '/three': { body: page(BAD_ROLE) },
    '/logo.png': { status: 204, body: '' },
    '/hidden.png': { status: 204, body: '' },
  });
});
after(async () => {
  await service?.close();
  await site?.stop();
});

describe('fixes of what two checks report', () => {
  let id: string;

  it('are one entry for the same element, after which both checks pass', async () => {
    const definition = { starting_url: `${site.origin}/`, perform_a11y_checks: true, rate_limit: 50 };
    ({ id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id));
    await until(async () => (await service.all(`/reports/${id}/fixes`)).length > 0);
    const fixes = await service.all(`/reports/${id}/fixes`);
    assert.deepEqual(
      fixes.map(({ attributes: fix }) => [
        fix.kind,
        fix.rule_id,
        fix.markup,
        fix.also.map(({ kind, message }: { kind: string; message: string }) => [
          kind,
          /“(?:alt|role)”/.exec(message)?.[0],
        ]),
        [fix.how_many, fix.errors, fix.num_web_pages],
        [fix.passing_before_plan, fix.passing_after, fix.passing_after_plan],
      ]),
      [
        ['a11y', 'image-alt', NO_ALT, [['html', '“alt”']], [2, 4, 2], [0, 1, 1]],
        ['a11y', 'aria-roles', '<div role="buton">Go</div>', [['html', '“role”']], [1, 2, 1], [1, 1, 2]],
        ['html', null, '<img src="/hidden.png">', [], [1, 1, 1], [2, 0, 3]],
      ],
    );
    const [{ attributes: first } = { attributes: {} }] = fixes;
    const [also] = first.also;
    const places = await service.all(
      `/reports/${id}/common_html_issues/${also.common_issue_id}/occurrences?filter[cluster]=${also.cluster}`,
    );
    assert.equal(places.length, 2);
  });

  it('are shown to readers of one of the checks under that one', async () => {
    const all = { number: 1, size: 10 };
    const { rows, total } = await listFixes(service.app.db, id, ['html'], all);
    assert.equal(total, 3);
    assert.deepEqual(
      rows.map(({ kind, rule_id: rule, also }) => [kind, rule, also]),
      rows.map(() => ['html', null, []]),
    );
    assert.match(rows[0]?.message ?? '', /“alt”/);
    const a11y = await listFixes(service.app.db, id, ['a11y'], all);
    assert.deepEqual(
      a11y.rows.map(({ rule_id: rule, also }) => [rule, also]),
      [
        ['image-alt', []],
        ['aria-roles', []],
      ],
    );
  });
});
