import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { computeNextInsights } from '../../src/reports/compute-insights.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import {
  A11Y_ISSUE_TYPES,
  element,
  HOME,
  HTML_ISSUE_TYPES,
  LOCATION_OF_A,
  occurrence,
  SITE,
} from '../helpers/sample-report.ts';
import { type Seeded, seedReport } from '../helpers/seed.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';

const SHOP = `${SITE}/shop/`;
const HEADER = '0f3a5b8c1d2e4f60';
const OTHER = 'ffffffffffffffff';

/** More clusters than are listed: each occurrence of a generated table is in its own cluster. */
const ROWS = Array.from({ length: 1_100 }, (_, row) => ({
  occurrence: occurrence(row + 1),
  cluster: row.toString(16).padStart(16, '0'),
}));

describe('clusters and occurrences of a common issue', () => {
  let api: TestApi;
  let seeded: Seeded;
  let report: string;
  before(async () => {
    api = await startApi();
    const duplicates = {
      kind: HTML_ISSUE_TYPES.duplicateId,
      occurrences: [occurrence(4), occurrence(5)],
      clusters: [HEADER, OTHER],
    };
    const header = { kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(7)], clusters: [HEADER] };
    const table = {
      kind: HTML_ISSUE_TYPES.info,
      occurrences: ROWS.map((row) => row.occurrence),
      clusters: ROWS.map(({ cluster }) => cluster),
    };
    const images = {
      kind: A11Y_ISSUE_TYPES.imageAlt,
      occurrences: [element('a'), element('b')],
      clusters: [HEADER, HEADER],
    };
    seeded = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['html', 'a11y'],
      [
        {
          url: HOME,
          checks: {
            html: { status: 'checked', issues: [duplicates, table] },
            a11y: { status: 'checked', issues: [images] },
          },
        },
        { url: SHOP, checks: { html: { status: 'checked', issues: [header] }, a11y: { status: 'checked' } } },
      ],
    );
    report = `/api/v1/reports/${seeded.reportId}`;
  });
  after(() => api?.close());

  const common = (kind: string, message: string) => `${report}/common_${kind}_issues/${seeded.commonIds.get(message)}`;
  const duplicateId = () => common('html', HTML_ISSUE_TYPES.duplicateId.message);

  test('a cluster has its first occurrence, and links to all of them', async () => {
    const issue = (await api.get(duplicateId())).document.data;
    const { document } = await api.get(issue.relationships.clusters.links.related);
    assert.equal(document.meta.unlisted, 0);
    const [first, second, ...others] = document.data;
    assert.deepEqual(others, []);
    const home = String(seeded.pageIds.get(HOME));
    const url = `${api.origin}${duplicateId()}/occurrences`;
    assert.equal(issue.relationships.occurrences.links.related, url);
    const { occurrence: id, ...sample } = first.attributes.sample;
    assert.deepEqual(first, {
      type: 'cluster',
      id: HEADER,
      attributes: {
        markup: 'p id="main"> ',
        selector: null,
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        how_many: 2,
        num_web_pages: 2,
        sample: { occurrence: id, web_page_id: home, url: HOME, line: 4, column: 17 },
      },
      relationships: { occurrences: { links: { related: `${url}?filter%5Bcluster%5D=${HEADER}` } } },
    });
    assert.deepEqual(sample, { web_page_id: home, url: HOME, line: 4, column: 17 });
    assert.deepEqual([second.id, second.attributes.how_many, second.attributes.sample.line], [OTHER, 1, 5]);
    const listed = await api.walk(first.relationships.occurrences.links.related);
    assert.deepEqual(
      listed.map(({ attributes }) => attributes.url),
      [HOME, SHOP],
    );
    assert.equal(listed[0]?.id, id);
  });

  test('occurrences of HTML issues have their attributes', async () => {
    const items = await api.walk(`${duplicateId()}/occurrences?page[size]=1`);
    assert.deepEqual(
      items.map(({ attributes }) => [attributes.url, attributes.line, attributes.column, attributes.cluster]),
      [
        [HOME, 4, 17, HEADER],
        [HOME, 5, 3, OTHER],
        [SHOP, 7, 3, HEADER],
      ],
    );
    const [first] = items;
    const page = `${api.origin}${report}/web_pages/${seeded.pageIds.get(HOME)}`;
    const [issue] = first?.id.split('-') ?? [];
    assert.deepEqual(first, {
      type: 'occurrence',
      id: `${issue}-0`,
      attributes: {
        web_page_id: String(seeded.pageIds.get(HOME)),
        url: HOME,
        markup: 'p id="main"> ',
        extract: '<p id="main"> 4',
        line: 4,
        column: 17,
        selector: null,
        box: null,
        reached_by: null,
        failure_summary: null,
        cause: null,
        style_rule: null,
        background_rule: null,
        edited_color: null,
        change: null,
        recheck: null,
        decision: null,
        cluster: HEADER,
      },
      relationships: {
        web_page: { links: { related: page } },
        issue: { links: { related: `${page}/html_issues/${issue}` } },
      },
    });
    assert.equal((await api.get(`${page}/html_issues/${issue}`)).document.data.attributes.html.length, 2);
  });

  test('occurrences of accessibility issues have their attributes', async () => {
    const items = await api.walk(`${common('a11y', A11Y_ISSUE_TYPES.imageAlt.message)}/occurrences`);
    const { line, column } = LOCATION_OF_A;
    assert.deepEqual(
      items.map(({ attributes: { web_page_id: _, ...attributes } }) => attributes),
      [
        { markup: '<img class="a">', line, column, selector: 'a', box: LOCATION_OF_A.box },
        { markup: '<img class="b">', line: null, column: null, selector: 'b', box: null },
      ].map((attributes) => ({
        ...{ url: HOME, extract: null, cause: null, change: null, recheck: null, decision: null },
        ...{ style_rule: null, background_rule: null, edited_color: null, reached_by: null },
        cluster: HEADER,
        failure_summary: 'Fix any of the following: alt',
        ...attributes,
      })),
    );
  });

  test('are filtered by their changes, in lists that are not too long', async () => {
    const store = { db: api.db, accountId: api.people.ownerId };
    const url = 'https://changed.example/';
    await seedOccurrences(store, [{ url, occurrences: [0, 4] }]);
    const later = await seedOccurrences(store, [{ url, occurrences: [2, 7] }]);
    await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', later).execute();
    while (await computeNextInsights(api.db));
    const [issue] = await api.walk(`/api/v1/reports/${later}/common_html_issues`);
    const occurrences = `/api/v1/reports/${later}/common_html_issues/${issue?.id}/occurrences`;
    const changes = async (query: string) =>
      (await api.walk(`${occurrences}?page[size]=2&${query}`)).map(({ attributes }) => attributes.change);
    const all = (await api.walk(occurrences)).map(({ id, attributes }) => [id, attributes.change]);
    for (const [change, howMany] of [
      ['new', 3],
      ['persisting', 2],
      ['regressed', 0],
      ['new,persisting', 5],
    ] as const) {
      const listed = (await api.walk(`${occurrences}?page[size]=2&filter[change]=${change}`)).map(({ id }) => id);
      assert.deepEqual(
        listed,
        change.split(',').flatMap((name) => all.filter((each) => each[1] === name).map(([id]) => id)),
      );
      assert.equal(listed.length, howMany, change);
    }
    assert.equal((await changes('filter[change]=new,persisting')).length, 5);
    assert.deepEqual(await changes('filter[change]=new&filter[url]=elsewhere'), []);
    assert.equal((await changes('filter[change]=new,persisting&filter[url]=CHANGED')).length, 5);
    await api.db
      .updateTable('web_pages')
      .set({ reached_url: `${url}Cart` })
      .where('report_id', '=', later)
      .execute();
    assert.equal((await changes('filter[change]=new&filter[url]=/cart')).length, 3);
    assert.equal((await changes('filter[url]=/cart')).length, 5);
    assert.deepEqual(await changes('filter[change]=new&filter[muted]=true'), []);
    const cluster = '0000000000000000';
    assert.equal((await changes(`filter[change]=new&filter[cluster]=${cluster}`)).length, 3);

    const refused = async (change: string) => {
      const { errors, document } = await api.get(`${occurrences}?filter[change]=${change}`);
      assert.deepEqual(errors, ['400 invalid_parameter filter[change]']);
      assert.match(document.errors[0].detail, /more than 10000 occurrences; add filter\[url\]/);
    };
    const diff = sql`report_id = ${later} AND is_previous`;
    await sql`UPDATE issues SET how_many = 10001 WHERE common_issue_id = ${Number(issue?.id)}`.execute(api.db);
    assert.equal((await changes('filter[change]=new')).length, 3, 'only occurrences on the page are compared');
    // There are too many issues.
    await sql`UPDATE diffs SET lists_issues = false WHERE ${diff}`.execute(api.db);
    await refused('new&filter[url]=changed');
    await sql`UPDATE issues SET how_many = 5 WHERE common_issue_id = ${Number(issue?.id)}`.execute(api.db);
    assert.equal((await changes('filter[change]=new')).length, 3);
  });

  test('are listed by their changes since earlier reports', async () => {
    const store = { db: api.db, accountId: api.people.ownerId };
    const [same, rechecked, changed, back] = ['same', 'rechecked', 'changed', 'back'].map(
      (name) => `https://several.example/${name}`,
    ) as [string, string, string, string];
    await seedOccurrences(store, [{ url: back, occurrences: [0, 2] }]);
    const earlier = await seedOccurrences(store, [
      { url: same, occurrences: [0, 3] },
      { url: rechecked, occurrences: [0, 2] },
      { url: changed, occurrences: [0, 1] },
      { url: back, occurrences: [1, 2] },
    ]);
    const later = await seedOccurrences(store, [
      { url: same, occurrences: [0, 3] },
      { url: rechecked, occurrences: [0, 2] },
      { url: changed, occurrences: [0, 2] },
      { url: back, occurrences: [0, 2] },
    ]);
    // Without a result in the earlier report, it is unknown whether they are new.
    await sql`UPDATE checks SET status = 'pending' WHERE report_id = ${earlier}
      AND web_page_id = (SELECT id FROM web_pages WHERE report_id = ${earlier} AND url = ${rechecked})`.execute(api.db);
    await api.db.updateTable('reports').set({ insights_pending: true }).where('id', '=', later).execute();
    while (await computeNextInsights(api.db));
    const [issue] = await api.walk(`/api/v1/reports/${later}/common_html_issues`);
    const occurrences = `/api/v1/reports/${later}/common_html_issues/${issue?.id}/occurrences`;
    const urls = async (change: string) =>
      (await api.walk(`${occurrences}?filter[change]=${change}`)).map(({ attributes }) => attributes.url);
    assert.deepEqual(await urls('not_checked_before'), [rechecked, rechecked]);
    assert.deepEqual(await urls('new'), [changed]);
    assert.deepEqual(await urls('regressed'), [back]);
    assert.deepEqual(await urls('new,regressed'), [changed, back]);
    assert.equal((await urls('persisting')).length, 5);
    assert.equal((await urls('persisting,new')).length, 6);
  });

  test('filters, and pages after the end', async () => {
    const lines = async (query: string) =>
      (await api.walk(`${duplicateId()}/occurrences?${query}`)).map(({ attributes }) => attributes.line);
    assert.deepEqual(await lines('filter[url]=SHOP'), [7]);
    assert.deepEqual(await lines(`filter[cluster]=${HEADER}`), [4, 7]);
    assert.deepEqual(await lines(`filter[cluster]=${HEADER}&filter[url]=shop`), [7]);
    assert.deepEqual(await lines('filter[cluster]=0000000000000000'), []);
    const { errors } = await api.get(`${duplicateId()}/occurrences?filter[cluster]=no%20such`);
    assert.deepEqual(errors, ['400 invalid_parameter filter[cluster]']);
    assert.deepEqual(await lines('filter[muted]=true'), []);
    assert.deepEqual(await lines('filter[muted]=all&page[size]=2'), [4, 5, 7]);
    const { document } = await api.get(`${duplicateId()}/occurrences?page[number]=1000000000&page[size]=100`);
    assert.deepEqual([document.data, document.meta.total], [[], 3]);
  });

  test('are not found if the common issue is deleted while its clusters are counted', async () => {
    const html = {
      status: 'checked',
      issues: [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(1)] }],
    } as const;
    const pages = [{ url: HOME, checks: { html } }];
    const { reportId, commonIds } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
    const [id] = commonIds.values();
    const asked = await api.db.transaction().execute(async (trx) => {
      await trx.deleteFrom('issues').where('report_id', '=', reportId).execute();
      await trx.deleteFrom('common_issues').where('report_id', '=', reportId).execute();
      const answer = api.get(`/api/v1/reports/${reportId}/common_html_issues/${id}/clusters`);
      await waitingForLocks(api.db, 1);
      return { answer };
    });
    assert.equal((await asked.answer).status, 404);
  });

  test('the largest of many clusters are listed, and the others are counted and found', async () => {
    const table = common('html', HTML_ISSUE_TYPES.info.message);
    const { document } = await api.get(`${table}/clusters?page[number]=10&page[size]=100`);
    assert.deepEqual([document.meta.total, document.meta.unlisted], [1_000, 100]);
    assert.deepEqual(
      document.data.map(({ id, attributes }: { id: string; attributes: { sample: { line: number } } }) => [
        id,
        attributes.sample.line,
      ]),
      ROWS.slice(900, 1_000).map((row) => [row.cluster, row.occurrence.coordinates.first_line]),
    );
    const last = ROWS.at(-1);
    const [found, ...others] = await api.walk(`${table}/occurrences?filter[cluster]=${last?.cluster}`);
    assert.deepEqual([found?.attributes.line, others], [1_100, []]);
    const page = (await api.get(`${table}/occurrences?page[number]=11&page[size]=100`)).document;
    assert.equal(page.meta.total, 1_100);
    assert.deepEqual(
      page.data.map(({ attributes }: { attributes: { line: number } }) => attributes.line),
      ROWS.slice(1_000).map((row) => row.occurrence.coordinates.first_line),
    );
  });

  test('issues of another report or another kind of check are not found', async () => {
    const id = seeded.commonIds.get(HTML_ISSUE_TYPES.duplicateId.message);
    for (const list of ['clusters', 'occurrences']) {
      assert.deepEqual((await api.get(`${report}/common_a11y_issues/${id}/${list}`)).errors, ['404 not_found']);
      assert.deepEqual((await api.get(`${report}/common_html_issues/999999/${list}`)).errors, ['404 not_found']);
    }
  });
});
