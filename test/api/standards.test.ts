import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Standard } from '../../packages/client/standards.ts';
import { issueTypeFingerprint } from '../../src/issues/identity.ts';
import { applyNextBatch, createMuting } from '../../src/reports/apply-mutings.ts';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { identityOf } from '../helpers/identities.ts';
import { element, occurrence } from '../helpers/sample-report.ts';
import { type SeedIssue, type SeedPage, seedDocument, seedReport } from '../helpers/seed.ts';

const PAGES = ['https://example.com/a', 'https://example.com/b'];
const SECTION = ['cat.color', 'wcag2aa', 'wcag143', 'EN-301-549', 'EN-9.1.4.3', 'RGAAv4', 'RGAA-3.2.1'];
const TARGET = ['wcag22aa', 'wcag258'];
const BEST = ['cat.keyboard', 'best-practice'];

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api?.close());
afterEach(async () => {
  await sql`TRUNCATE reports, sites, mutings CASCADE`.execute(api.db);
});

interface Found {
  readonly ruleId: string;
  readonly tags: readonly string[];
  readonly impact: 'serious' | 'moderate';
  readonly howMany: number;
}

/** Of each page: contrast fails a criterion of all standards, `target-size` one of WCAG 2.2, `region` only a best practice. */
const CONTRAST: Found = { ruleId: 'color-contrast', tags: SECTION, impact: 'serious', howMany: 2 };
const SIZE: Found = { ruleId: 'target-size', tags: TARGET, impact: 'serious', howMany: 3 };
const REGION: Found = { ruleId: 'region', tags: BEST, impact: 'moderate', howMany: 4 };

function issueOf({ ruleId, tags, impact, howMany }: Found, url: string): SeedIssue {
  const type = issueTypeFingerprint('a11y', { type: 'error', subType: null, ruleId, message: ruleId }, true);
  const identity = { ...identityOf(ruleId, `${url} ${ruleId}`, howMany), kind: type };
  return {
    kind: { type: 'error', message: ruleId, ruleId, impact, tags, helpUrl: `https://example.com/${ruleId}` },
    occurrences: [element('a')],
    identity,
  };
}

/** Ends a report of two pages. The second one has best practices only. */
async function run(standard: Standard | null, found: readonly Found[]): Promise<string> {
  const html = {
    status: 'checked',
    issues: [
      {
        kind: { type: 'error', message: 'stray' },
        occurrences: [occurrence(1)],
        identity: identityOf('stray', 'stray', 1),
      },
    ],
  } as const;
  const pages = PAGES.map((url, index): SeedPage => {
    const some = found.filter(({ tags }) => index === 0 || tags === BEST);
    const a11y = { status: 'checked', issues: some.map((issue) => issueOf(issue, url)) } as const;
    return { url, checks: index === 0 ? { html, a11y } : { html: { status: 'checked' }, a11y } };
  });
  const { reportId, pageIds } = await seedReport(
    api.db,
    { account_id: api.people.ownerId, standard },
    ['html', 'a11y'],
    pages,
  );
  for (const [url, page] of pageIds) await seedDocument(api.db, page, Buffer.from(url));
  await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', reportId).execute();
  while (await computeNextInsights(api.db));
  return reportId;
}

async function measure(id: string, attributes: object): Promise<Item> {
  const { document } = await api.send('PATCH', `/api/v1/reports/${id}`, { attributes });
  await assertCountsAddUp(api.db, id);
  while (await computeNextInsights(api.db));
  return document.data;
}

/** The numbers of a report on every list that has them. */
async function numbers(id: string) {
  const path = `/api/v1/reports/${id}`;
  const { attributes, relationships } = (await api.get(path)).document.data;
  const common = async (muted: string): Promise<string[]> =>
    (await api.get(`${path}/common_a11y_issues?filter[muted]=${muted}`)).document.data.map(
      ({ attributes: of }: Item) => `${of.rule_id} ${of.how_many}`,
    );
  const pages = (await api.get(`${path}/web_pages?sort=url`)).document.data;
  const site = (await api.get(new URL(relationships.site.links.related).pathname)).document.data.attributes;
  const stats = (await api.get('/api/v1/stats?interval=day')).document.data.at(-1);
  const errors: number = attributes.checks.a11y.issues.severity.total.errors;
  assert.equal(
    pages.reduce((sum: number, page: Item) => sum + page.attributes.a11y_check.errors, 0),
    errors,
  );
  assert.equal(site.runs[0].errors, errors + 1);
  assert.equal(stats.attributes.a11y.errors, errors);
  assert.deepEqual(site.runs[0].now, null, 'measuring by another standard changes the end, too');
  const fixes = (await api.get(`${path}/fixes`)).document.data;
  return {
    errors,
    serious: attributes.checks.a11y.issues.errors_by_impact.serious,
    pages: attributes.checks.a11y.pages,
    passed: attributes.pages.passed,
    counted: await common('false'),
    outside: await common('outside_standard'),
    muted: await common('true'),
    fixed: fixes.map(({ attributes: of }: Item) => of.rule_id).sort(),
  };
}

test('a report is measured by another standard, now and at its end, without checking a page', async () => {
  const id = await run('wcag22-aa', [CONTRAST, SIZE, REGION]);
  const byStandard = await numbers(id);
  assert.deepEqual(byStandard, {
    ...{ errors: 5, serious: 5, pages: { passed: 1, with_errors: 1, severe_free: 1 }, passed: 1 },
    ...{ counted: ['target-size 3', 'color-contrast 2'], outside: ['region 8'], muted: [] },
    fixed: ['color-contrast', null, 'target-size'].sort(),
  });

  const withBest = await measure(id, { best_practices: true });
  assert.deepEqual([withBest.attributes.standard, withBest.attributes.best_practices], ['wcag22-aa', true]);
  const all = await numbers(id);
  assert.deepEqual([all.errors, all.passed, all.outside], [13, 0, []]);

  const european = await measure(id, { standard: 'en-301-549', best_practices: false });
  assert.deepEqual(european.attributes.untested_rules, []);
  const { errors, counted, outside } = await numbers(id);
  assert.deepEqual([errors, counted], [2, ['color-contrast 2']]);
  assert.deepEqual(outside, ['target-size 3', 'region 8']);

  const french = await measure(id, { standard: 'rgaa-4' });
  assert.deepEqual(french.attributes.untested_rules, ['focus-order-semantics']);
  await measure(id, { standard: null });
  assert.deepEqual((await numbers(id)).counted, ['target-size 3', 'color-contrast 2', 'region 8']);
  await measure(id, { standard: 'wcag22-aa' });
  assert.deepEqual(await numbers(id), byStandard);

  const wrong = await api.send('PATCH', `/api/v1/reports/${id}`, {
    attributes: { standard: 'wcag3' },
  });
  assert.equal(wrong.status, 422);
});

test('what a standard adds or leaves out is neither new nor fixed', async () => {
  await run(null, [CONTRAST, REGION]);
  const second = await run('wcag22-aa', [CONTRAST, SIZE, REGION]);
  const changes = async (id: string) => {
    const { meta, data } = (await api.get(`/api/v1/reports/${id}/changes`)).document;
    const causes = data.flatMap(({ attributes: of }: Item) =>
      of.causes.settings === 0 ? [] : `${of.rule_id} ${of.change} ${of.causes.settings}`,
    );
    const { new: added, fixed, persisting, unverified, not_checked_before: before } = meta.changes;
    return { added, fixed, persisting, unverified, before, causes: causes.sort(), settings: meta.settings };
  };
  const { causes, settings, ...counts } = await changes(second);
  // The HTML error and two of contrast persist. Best practices no longer count, and the size of targets was not tested before.
  assert.deepEqual(counts, { added: 0, fixed: 0, persisting: 3, unverified: 8, before: 3 });
  assert.deepEqual(causes, ['region unverified 8', 'target-size not_checked_before 3']);
  assert.deepEqual(settings, [{ name: 'standard', before: null, now: 'wcag22-aa' }]);

  const third = await run(null, [CONTRAST, REGION]);
  const { causes: back, settings: reset, ...again } = await changes(third);
  assert.deepEqual(again, { added: 0, fixed: 0, persisting: 3, unverified: 3, before: 8 });
  assert.deepEqual(back, ['region not_checked_before 8', 'target-size unverified 3']);
  assert.equal(reset.length, 1);
});

test('a standard does not decide which pages a report has: issues on a new page are new', async () => {
  const first = await run(null, [CONTRAST]);
  const second = await run('wcag22-aa', [CONTRAST]);
  const path = `/api/v1/reports/${second}`;
  const [page] = (await api.get(`/api/v1/reports/${first}/web_pages?filter[url]=/a`)).document.data;
  await api.send('DELETE', `/api/v1/reports/${first}/web_pages/${page.id}`);
  while (await computeNextInsights(api.db));
  const { meta } = (await api.get(`${path}/changes?with=${first}`)).document;
  assert.deepEqual([meta.changes.new, meta.changes.not_checked_before], [3, 0]);
});

test('lists of issues outside of the standard agree, and the past stays when such issues are muted', async () => {
  const id = await run('wcag22-aa', [CONTRAST, REGION]);
  const path = `/api/v1/reports/${id}`;
  const [region] = (await api.get(`${path}/common_a11y_issues?filter[muted]=outside_standard`)).document.data;
  for (const [choice, occurrences, pages] of [
    ['outside_standard', 8, 2],
    ['true', 0, 0],
    ['all', 8, 2],
  ] as const) {
    const query = `filter[muted]=${choice}`;
    const issue = (await api.get(`${path}/common_a11y_issues/${region.id}?${query}`)).document.data.attributes;
    assert.deepEqual([issue.how_many, issue.num_web_pages, issue.outside_standard], [occurrences, pages, true], choice);
    const lists = [
      `${path}/web_pages?filter[common_a11y_issue_id]=${region.id}&${query}`,
      `${path}/web_pages?filter[common_a11y_issue_id]=${region.id}&${query}&sort=url`,
    ];
    for (const list of lists) {
      const { data, meta } = (await api.get(list)).document;
      assert.deepEqual([data.length, meta.total], [pages, pages], `${choice} ${list}`);
    }
  }
  await createMuting(api.db, {
    ...{ account_id: api.people.ownerId, url_match: 'example.com', message: 'region', comment: '', expires_at: null },
  });
  while (await applyNextBatch(api.db, 100));
  const counted = await measure(id, { best_practices: true });
  assert.equal(counted.attributes.checks.a11y.issues.errors, 2);
  assert.equal(counted.attributes.at_end.checks.a11y.issues.errors, 10);
  const nothing = await api.send('PATCH', path, { attributes: { best_practices: true } });
  assert.equal(nothing.document.data.attributes.updated_at, counted.attributes.updated_at);
});

test('new reports and schedules of a site have its standard unless they set another one', async () => {
  await api.send('PATCH', '/api/v1/account', { attributes: { standard: 'rgaa-4', best_practices: true } });
  const starting_url = 'https://example.com/';
  const site = await api.send('POST', '/api/v1/sites', { attributes: { starting_url } });
  const { id, attributes } = site.document.data;
  assert.deepEqual([attributes.standard, attributes.best_practices], ['rgaa-4', true]);
  await api.send('PATCH', `/api/v1/sites/${id}`, { attributes: { standard: 'en-301-549', best_practices: false } });
  const created = async (path: string, given: object) => {
    const { document } = await api.send('POST', `/api/v1/${path}`, { attributes: { starting_url, ...given } });
    const { standard, best_practices } = document.data.attributes;
    return [standard, best_practices];
  };
  const daily = { periodicity: { every: 'day' } };
  for (const given of [{}, { site_id: id }]) {
    assert.deepEqual(await created('reports', given), ['en-301-549', false]);
    assert.deepEqual(await created('schedules', { ...daily, ...given }), ['en-301-549', false]);
    assert.deepEqual(await created('reports', { ...given, standard: null }), [null, false]);
    assert.deepEqual(await created('schedules', { ...daily, ...given, best_practices: true }), ['en-301-549', true]);
  }
  const now = (await api.get(`/api/v1/sites/${id}`)).document.data.attributes;
  assert.deepEqual([now.standard, now.best_practices], ['en-301-549', false]);
});
