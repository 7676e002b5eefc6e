import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import type { DiscoveredUrl, UrlOutcome } from '../../src/domain/crawl.ts';
import { listDiscoveredUrls, SHOWN_OUTCOMES } from '../../src/store/reports/discovered-urls.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { seedDiscoveredUrls, seedReport } from '../helpers/seed.ts';

const SITE = 'https://example.com';

/** Discovered URLs of a site by outcome, with their details. */
const FOUND: Readonly<Partial<Record<UrlOutcome, [url: string, more: Partial<DiscoveredUrl>]>>> = {
  page: [`${SITE}/`, { linkedFrom: null, depth: 0, httpStatus: 200 }],
  failed: [`${SITE}/gone`, { httpStatus: 404, detail: ANSWERED_404 }],
  redirected: [`${SITE}/old`, { httpStatus: 301, target: `${SITE}/` }],
  duplicate: [`${SITE}/print`, { httpStatus: 200, target: `${SITE}/` }],
  not_html: [`${SITE}/a.pdf`, { httpStatus: 200, detail: { code: 'not_html', params: { content_type: '' } } }],
  sitemap: [`${SITE}/map.xml`, { detail: null }],
  robots: [`${SITE}/hidden`, { detail: { code: 'robots_disallows', params: {} } }],
  excluded: [`${SITE}/Private/a`, {}],
  not_included: [`${SITE}/elsewhere`, {}],
  off_site: ['https://elsewhere.example/', {}],
  too_deep: [`${SITE}/deep`, {}],
  not_listed: [`${SITE}/unlisted`, {}],
  deleted: [`${SITE}/deleted`, {}],
  waiting: [`${SITE}/later`, {}],
};

function discovered(): DiscoveredUrl[] {
  const common = { linkedFrom: `${SITE}/`, depth: 1, target: null, httpStatus: null, detail: null };
  return Object.entries(FOUND).map(([outcome, [url, more]], position) => {
    return { position, url, ...common, ...more, outcome: outcome as UrlOutcome };
  });
}

describe('discovered URLs', () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  async function seed(
    changes: Partial<Parameters<typeof seedReport>[1]> = {},
  ): Promise<[list: string, pageId: number]> {
    const report = { account_id: api.people.ownerId, exclusions: ['/other', '/Private/'], max_pages: 3, ...changes };
    const { reportId, pageIds } = await seedReport(api.db, report, [], [{ url: `${SITE}/`, checks: {} }]);
    await seedDiscoveredUrls(api.db, reportId, discovered());
    return [`/api/v1/reports/${reportId}/discovered_urls`, pageIds.get(`${SITE}/`) ?? 0];
  }

  test('a page of the list is consistent while the crawl continues', async () => {
    const [list] = await seed();
    const id = list.split('/')[4] ?? '';
    const report = await api.db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    let position = discovered().length;
    /** Discovers one more URL after each statement of the list. */
    const crawling: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const found = { url: `${SITE}/new-${position}`, outcome: 'waiting', linkedFrom: null, depth: 0 } as const;
        await seedDiscoveredUrls(api.db, id, [{ ...found, position, target: null, httpStatus: null, detail: null }]);
        position += 1;
        return result;
      },
    };
    const order = { key: 'position', direction: 'desc' } as const;
    const db = api.db.withPlugin(crawling);
    const page = await listDiscoveredUrls(db, report, { url: SITE }, order, { number: 1, size: 100 });
    assert.ok(position > discovered().length, 'URLs were found in the meantime');
    assert.deepEqual(page.outcomes, { ...page.matching, off_site: 1 });
    assert.deepEqual([page.total, page.rows.length], [discovered().length - 1, discovered().length - 1]);
  });

  test('GET returns each URL with its outcome and the reason', async () => {
    const [list, pageId] = await seed({ crawl_failed: false, urls_not_kept: 7 });
    const { document } = await api.get(list);
    const reportId = list.split('/')[4];
    const [first, ...rest] = document.data;
    assert.deepEqual(first, {
      type: 'discovered_url',
      id: `${reportId}-0`,
      attributes: {
        url: `${SITE}/`,
        outcome: 'page',
        detail: null,
        detail_code: null,
        target: null,
        http_status: 200,
        linked_from: null,
        depth: 0,
      },
      relationships: {
        web_page: { links: { related: `${api.origin}/api/v1/reports/${reportId}/web_pages/${pageId}` } },
      },
    });
    assert.equal((await api.get(first.relationships.web_page.links.related)).status, 200);
    const told = Object.fromEntries(
      rest.map((item: { attributes: Record<string, string> }) => [
        item.attributes['outcome'],
        item.attributes['detail'],
      ]),
    );
    assert.deepEqual(told, {
      failed: 'The page returned 404.',
      redirected: 'It redirects to https://example.com/.',
      duplicate: 'Its canonical URL is https://example.com/.',
      not_html: 'It is not an HTML page: the response has no content type.',
      sitemap: 'It is a sitemap.',
      robots: "The site's robots.txt disallows the page.",
      excluded: 'It matches the exclusion /Private/.',
      not_included: "It matches none of the report's inclusions.",
      off_site: "It is not on the report's site, example.com.",
      too_deep: 'Without deep_crawl, only pages that the starting and initial URLs link to are visited.',
      not_listed: 'The starting URL is a sitemap, and the part of it that could be read does not list this URL.',
      deleted: 'Its page was deleted from the report.',
      over_max_pages: 'The report reached its max_pages (3) before the spider visited it.',
    });
    const { outcomes, not_kept } = document.meta;
    const ones = Object.fromEntries(SHOWN_OUTCOMES.map((outcome) => [outcome, 1]));
    assert.deepEqual(outcomes, { ...ones, waiting: 0, not_visited: 0 });
    assert.deepEqual([document.meta.total, not_kept], [14, 7]);
  });

  test('a logout URL is skipped if credentials are sent, with its own reason', async () => {
    const position = discovered().length;
    const logout = { url: `${SITE}/logout`, outcome: 'excluded', linkedFrom: `${SITE}/`, depth: 1 } as const;
    const shown = async (list: string): Promise<[outcome: string, code: string, detail: string]> => {
      const url = { ...logout, position, target: null, httpStatus: null, detail: null };
      await seedDiscoveredUrls(api.db, list.split('/')[4] ?? '', [url]);
      const [{ attributes }] = (await api.get(`${list}?filter[url]=logout`)).document.data;
      return [attributes.outcome, attributes.detail_code, attributes.detail];
    };
    const [signedIn] = await seed({ site_access: Buffer.from('sealed') });
    assert.deepEqual(await shown(signedIn), [
      'excluded',
      'signs_out',
      "Its URL looks like a logout, which would end the report's session. To visit it anyway, add it to the initial URLs.",
    ]);
    const [excluded] = await seed({ site_access: Buffer.from('sealed'), exclusions: ['/logout'] });
    assert.deepEqual(await shown(excluded), ['excluded', 'excluded', 'It matches the exclusion /logout.']);
  });

  test('waiting URLs are shown with their final outcome', async () => {
    const shown = async (list: string, outcome: string): Promise<string[]> => {
      const items = await api.walk(`${list}?filter[outcome]=${outcome}`);
      return items.map(({ attributes }) => `${attributes.outcome} ${attributes.detail}`);
    };
    const [underWay] = await seed();
    assert.deepEqual(await shown(underWay, 'waiting'), ['waiting The spider has not visited it yet.']);
    assert.deepEqual(await shown(underWay, 'over_max_pages'), []);
    const [brokenOff] = await seed({ crawl_failed: false, max_pages: 4 });
    assert.deepEqual(await shown(brokenOff, 'not_visited'), [
      'not_visited The crawl ended before the spider visited it.',
    ]);
    assert.deepEqual(await shown(brokenOff, 'waiting'), []);
    assert.deepEqual(await api.walk(`${brokenOff}?filter[outcome]=waiting&filter[url]=later`), []);
  });

  test('filters and sorts neither omit nor repeat anything', async () => {
    const [list] = await seed({ crawl_failed: false });
    const urls = async (query: string) =>
      (await api.walk(`${list}?page[size]=3&${query}`)).map(({ attributes }) => attributes.url);
    const all = discovered().map(({ url }) => url);
    assert.deepEqual(await urls(''), all);
    assert.deepEqual(await urls('sort=position-asc'), all);
    assert.deepEqual(await urls('sort=-position'), all.toReversed());
    assert.deepEqual(await urls('sort=url'), all.toSorted());
    assert.deepEqual(await urls('sort=url-desc'), all.toSorted().toReversed());
    for (const [outcome, [url]] of Object.entries(FOUND)) {
      const shown = outcome === 'waiting' ? 'over_max_pages' : outcome;
      assert.deepEqual(await urls(`filter[outcome]=${shown}`), [url]);
    }
    assert.deepEqual(await urls('filter[url]=PRIVATE'), [`${SITE}/Private/a`]);
    assert.deepEqual(await urls('filter[url]=%25'), []);
    assert.deepEqual(await urls('filter[url]=.com&filter[outcome]=off_site'), []);
    assert.deepEqual(await urls('filter[url]=elsewhere&filter[outcome]=off_site&sort=-url'), [
      'https://elsewhere.example/',
    ]);
    const urlOf = (...outcomes: UrlOutcome[]) => outcomes.map((outcome) => FOUND[outcome]?.[0]);
    assert.deepEqual(await urls('filter[outcome]=excluded,page'), urlOf('page', 'excluded'));
    assert.deepEqual(
      await urls('filter[outcome]=off_site,not_html,not_html&sort=-position'),
      urlOf('off_site', 'not_html'),
    );
    assert.deepEqual(
      await urls('filter[outcome]=excluded,off_site,waiting&filter[url]=e&sort=url'),
      urlOf('off_site', 'excluded'),
    );
    const many = ['page', 'failed', 'robots', 'off_site', 'deleted', 'not_html', 'too_deep'] as const;
    for (const sort of ['url', '-url', '-position']) {
      const expected = urlOf(...many).toSorted();
      const sorted = await urls(`filter[outcome]=${many.join()}&sort=${sort}`);
      assert.deepEqual(sort === '-url' ? sorted.toReversed() : sort === 'url' ? sorted : sorted.toSorted(), expected);
    }
    for (const far of [2, 1_000_000_000]) {
      assert.deepEqual((await api.get(`${list}?page[number]=${far}&page[size]=100`)).document.data, []);
      assert.deepEqual((await api.get(`${list}?page[number]=${far}&page[size]=100&sort=-position`)).document.data, []);
    }
  });

  test('the counts of a filtered list add up, and the counts of the report do not change', async () => {
    const [list] = await seed({ crawl_failed: false });
    const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, howMany) => total + howMany);
    const whole = (await api.get(list)).document.meta;
    assert.deepEqual(whole.matching_outcomes, whole.outcomes);
    for (const query of [
      ...['filter[outcome]=page', 'filter[outcome]=page,over_max_pages', 'filter[outcome]=waiting', 'filter[url]=d'],
      ...['filter[url]=later', 'filter[url]=d&filter[outcome]=page,deleted,over_max_pages', 'filter[url]=no+such'],
    ]) {
      const items = await api.walk(`${list}?${query}`);
      const { meta } = (await api.get(`${list}?page[size]=1&page[number]=3&sort=-url&${query}`)).document;
      const found = Object.groupBy(items, ({ attributes }) => attributes.outcome);
      const expected = Object.fromEntries(SHOWN_OUTCOMES.map((outcome) => [outcome, found[outcome]?.length ?? 0]));
      assert.deepEqual(meta.matching_outcomes, expected, query);
      assert.equal(sum(meta.matching_outcomes), meta.total);
      assert.deepEqual(meta.outcomes, whole.outcomes);
    }
    assert.equal(sum(whole.outcomes), Object.keys(FOUND).length);
  });

  test('unknown outcomes and sorts are rejected by name', async () => {
    const [list] = await seed();
    for (const outcomes of ['lost', 'page,lost', 'page,', '', 'page;failed', 'toString']) {
      const wrong = await api.get(`${list}?filter[outcome]=${outcomes}`);
      assert.deepEqual(wrong.errors, ['400 invalid_parameter filter[outcome]']);
      assert.match(wrong.text, /must be one or more of page, failed, .* not_visited, separated by commas/);
    }
    assert.equal((await api.get(`${list}?sort=outcome`)).status, 400);
  });
});
