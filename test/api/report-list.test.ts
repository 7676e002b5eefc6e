import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

/** The row and counts of a report, as far as lists show differences. */
interface Row {
  readonly url: string;
  readonly pages: number;
  readonly html: [errors: number, warnings: number] | null;
  readonly a11y: [errors: number, warnings: number] | null;
  readonly checkedAt: string | null;
  readonly tags?: string[];
  readonly status?: 'pending' | 'finished' | 'failed';
}

const ROWS: Record<string, Row> = {
  upper: {
    url: 'https://B.example.com/'.toLowerCase(),
    pages: 3,
    html: [1, 9],
    a11y: null,
    checkedAt: '2026-01-02T00:00:00Z',
  },
  tilde: {
    url: 'https://a.example.com/~x',
    pages: 1,
    html: [5, 0],
    a11y: [2, 2],
    checkedAt: '2026-01-01T00:00:00Z',
    tags: ['Blog', 'News'],
  },
  Zed: {
    url: 'https://a.example.com/Zed',
    pages: 2,
    html: null,
    a11y: [7, 1],
    checkedAt: '2026-01-03T00:00:00Z',
    tags: ['blog'],
    status: 'failed',
  },
  percent: {
    url: 'https://a.example.com/100%25_off',
    pages: 2,
    html: [5, 3],
    a11y: [0, 0],
    checkedAt: null,
    tags: ['STRASSE'],
    status: 'pending',
  },
  umlaut: {
    url: 'https://xn--mller-kva.example/',
    pages: 9,
    html: [0, 0],
    a11y: null,
    checkedAt: null,
    tags: ['news', 'x y'],
  },
};

describe('list of reports', () => {
  let api: TestApi;
  const names = new Map<string, string>();

  const listed = async (query: string): Promise<string[]> => {
    const items = await api.walk(`/api/v1/reports?page[size]=2&${query}`);
    return items.map((item) => names.get(item.id) ?? item.id);
  };
  const refused = async (query: string): Promise<string> => {
    const reply = await api.get(`/api/v1/reports?${query}`);
    assert.equal(reply.errors.length, 1, reply.text);
    return `${reply.errors[0]}: ${reply.document.errors[0].detail}`;
  };

  before(async () => {
    api = await startApi();
    for (const [name, row] of Object.entries(ROWS)) {
      const page: SeedPage = { url: row.url, checks: {} };
      const { reportId } = await seedReport(
        api.db,
        {
          account_id: api.people.ownerId,
          starting_url: row.url,
          num_pages: row.pages,
          last_checked_at: row.checkedAt === null ? null : new Date(row.checkedAt),
          tags: row.tags ?? [],
          status: row.status ?? 'finished',
        },
        [],
        [page],
      );
      for (const kind of ['html', 'a11y'] as const) {
        const counts = row[kind];
        if (counts === null) continue;
        const [errors, warnings] = counts;
        await api.db.insertInto('report_checks').values({ report_id: reportId, kind, errors, warnings }).execute();
      }
      names.set(reportId, name);
    }
    // Reports of others are never listed, shared or not, nor are deleted ones.
    const other = { account_id: api.people.strangerId, shared: true };
    await seedReport(api.db, other, [], [{ url: 'https://a.example.com/', checks: {} }]);
    const deleted = { account_id: api.people.ownerId, deleted_at: new Date() };
    await seedReport(api.db, deleted, [], [{ url: 'https://a.example.com/', checks: {} }]);
  });
  after(() => api?.close());

  test('by default, reports never checked come first, then the most recent', async () => {
    assert.deepEqual(await listed(''), ['umlaut', 'percent', 'Zed', 'upper', 'tilde']);
    assert.deepEqual(await listed('sort=last_checked_at-desc'), ['umlaut', 'percent', 'Zed', 'upper', 'tilde']);
  });

  const sorts: [sort: string, ascending: string[]][] = [
    ['url', ['percent', 'Zed', 'tilde', 'upper', 'umlaut']],
    ['num_web_pages', ['tilde', 'Zed', 'percent', 'upper', 'umlaut']],
    ['html_issues', ['Zed', 'umlaut', 'tilde', 'percent', 'upper']],
    ['html_errors', ['Zed', 'umlaut', 'upper', 'tilde', 'percent']],
    ['html_warnings', ['tilde', 'Zed', 'umlaut', 'percent', 'upper']],
    ['a11y_issues', ['upper', 'percent', 'umlaut', 'tilde', 'Zed']],
    ['a11y_errors', ['upper', 'percent', 'umlaut', 'tilde', 'Zed']],
    ['a11y_warnings', ['upper', 'percent', 'umlaut', 'Zed', 'tilde']],
    ['last_checked_at', ['tilde', 'upper', 'Zed', 'percent', 'umlaut']],
  ];
  for (const [key, ascending] of sorts) {
    test(`reports are sorted by ${key}, in every spelling`, async () => {
      assert.deepEqual(await listed(`sort=${key}-asc`), ascending);
      assert.deepEqual(await listed(`sort=${key}-desc`), ascending.toReversed());
      assert.deepEqual(await listed(`sort=${key}`), ascending);
      assert.deepEqual(await listed(`sort=-${key}`), ascending.toReversed());
    });
  }

  test('reports are sorted by a common misspelling, and by several keys', async () => {
    assert.deepEqual(await listed('sort=last-checked_at-asc'), ['tilde', 'upper', 'Zed', 'percent', 'umlaut']);
    assert.deepEqual(await listed('sort=last-checked_at-desc'), ['umlaut', 'percent', 'Zed', 'upper', 'tilde']);
    assert.deepEqual(await listed('sort=num_web_pages,-last_checked_at'), [
      'tilde',
      'percent',
      'Zed',
      'upper',
      'umlaut',
    ]);
  });

  test('an unknown sort is rejected with the allowed ones', async () => {
    for (const sort of ['colour-asc', 'url-up', '-url-desc', '', 'url,', 'id', 'url-asc-desc', 'constructor']) {
      assert.match(
        await refused(`sort=${sort}`),
        /^400 invalid_parameter sort: .*url-asc, url-desc.*last_checked_at-desc/,
      );
    }
    assert.match(await refused('sort=url-asc,html_error-desc'), /; did you mean html_errors-desc\?$/);
    assert.match(await refused('sort=-htmlErrors'), /; did you mean -html_errors\?$/);
  });

  test('the text filter searches the names and the addresses of sites', async () => {
    const row = api.db.selectFrom('reports').select('site_id').where('starting_url', 'like', '%/Zed');
    const { site_id: id } = await row.executeTakeFirstOrThrow();
    await api.db.updateTable('sites').set({ name: 'Bakery' }).where('id', '=', id).execute();
    assert.deepEqual(await listed('filter[text]=BAKERY'), ['Zed']);
    assert.deepEqual(await listed('filter[text]=%25'), ['percent']);
    assert.deepEqual(await listed('filter[text]=a.example.com'), ['percent', 'Zed', 'tilde']);
  });

  test('the URL filter takes every character literally, and ignores case', async () => {
    assert.deepEqual(await listed('filter[url]=A.EXAMPLE.com'), ['percent', 'Zed', 'tilde']);
    assert.deepEqual(await listed('filter%5Burl%5D=/zed'), ['Zed']);
    assert.deepEqual(await listed('filter[url]=%25'), ['percent']);
    assert.deepEqual(await listed('filter[url]=_'), ['percent']);
    assert.deepEqual(await listed('filter[url]=%5C'), []);
    assert.deepEqual(await listed('filter[url]=a.example%25'), []);
    assert.equal((await listed('filter[url]=')).length, 5);
    assert.deepEqual(await listed('filter[url]=%C3%A9'), []);
  });

  test('reports are filtered by tags, ignoring case', async () => {
    const tagged = (mode: string, list: string) =>
      listed(`filter[tags][mode]=${mode}&filter[tags][list]=${list}&sort=url`);
    assert.deepEqual(await listed('filter[tags][list]=BLOG,nothing&sort=url'), ['Zed', 'tilde']);
    assert.deepEqual(await tagged('any', 'news,%20blog'), ['Zed', 'tilde', 'umlaut']);
    assert.deepEqual(await tagged('all', 'news,blog'), ['tilde']);
    assert.deepEqual(await tagged('none', 'news,blog'), ['percent', 'upper']);
    assert.deepEqual(await tagged('any', 'stra%C3%9Fe'), ['percent']);
    assert.deepEqual(await tagged('any', 'x+y'), ['umlaut']);
    for (const mode of ['any', 'all', 'none']) assert.equal((await tagged(mode, '%20,,')).length, 5);
    assert.match(
      await refused('filter[tags][mode]=some'),
      /400 invalid_parameter filter\[tags\]\[mode\]: .*any, all, none/,
    );
  });

  test('reports are filtered by status', async () => {
    assert.deepEqual(await listed('filter[status]=failed'), ['Zed']);
    assert.deepEqual(await listed('filter[status]=pending'), ['percent']);
    assert.match(
      await refused('filter[status]=checked'),
      /filter\[status\]: .*pending, crawling, checking, finished, failed/,
    );
  });

  test('schedules and guests have no reports yet', async () => {
    assert.deepEqual(await listed('filter[schedule_id]=0c0f6a3e-0000-4000-8000-000000000000'), []);
    assert.deepEqual(await listed('created_by=guests&guest_token=G012345678'), []);
    assert.equal((await listed('created_by=all')).length, 5);
    assert.equal((await listed('created_by=me')).length, 5);
    assert.match(await refused('created_by=you'), /400 invalid_parameter created_by: .*me, all, guests/);
  });

  test('an unknown filter is rejected with the known ones; other unknown parameters are ignored', async () => {
    assert.match(await refused('filter[colour]=red'), /filter\[colour\]: .*filter\[url\]/);
    assert.match(
      await refused('filter[urls]=a'),
      /is unknown; did you mean filter\[url\]\? Known parameters: filter\[url\], .*\.$/,
    );
    assert.match(
      await refused('filter[created_by]=all'),
      /; did you mean created_by\? Known parameters: filter\[url\], /,
    );
    assert.match(await refused('filter[creatd_by]=all'), /; did you mean created_by\?/);
    assert.match(await refused('filter[tags]=shop'), /; did you mean filter\[tags\]\[list\]\?/);
    assert.match(await refused('sort[url]=asc'), /; did you mean sort\?/);
    assert.match(await refused('filter=red'), /^400 invalid_parameter filter: /);
    assert.match(await refused('filter[url][]=red'), /filter\[url\]\[\]: /);
    assert.equal((await listed('colour=red&_=%zz&include=web_pages&fields[report]=url&&=')).length, 5);
  });

  test('invalid pages are rejected', async () => {
    for (const value of ['0', '-1', '1.5', '1e2', 'x', '', '+1', '%201', '1000000001', '9'.repeat(400), '1%00']) {
      assert.match(await refused(`page[number]=${value}`), /^400 invalid_parameter page\[number\]: /, value);
    }
    for (const value of ['0', '101', 'all', '']) {
      assert.match(await refused(`page%5Bsize%5D=${value}`), /^400 invalid_parameter page\[size\]: .*1 to 100/, value);
    }
    assert.match(await refused('page[number]=1&page%5bnumber%5d=1'), /page\[number\]: .*more than once/);
    assert.match(await refused('page[limit]=1'), /page\[limit\]: /);
    assert.match(await refused('filter[url]=a&filter[url]=b'), /filter\[url\]: .*more than once/);
    assert.match(await refused('filter[url]=%zz'), /filter\[url\]: .*percent-encoding/);
    assert.match(await refused('filter[url]=%ff'), /filter\[url\]: .*percent-encoding/);
    assert.match(await refused('filter[url]=%00'), /filter\[url\]: .*NUL/);
    assert.match(await refused('filt%er=1'), /400 invalid_parameter filt%er: /);
  });

  test('all problems of a query are reported at once, one error each', async () => {
    const wrong = [
      'page[size]=0',
      'sort=colour',
      'filter[colour]=red',
      'filt%er=1',
      'created_by=you',
      'filter[url]=%zz',
    ];
    const { errors } = await api.get(`/api/v1/reports?${wrong.join('&')}&colour=red&page[number]=2&page[size]=101`);
    assert.deepEqual(
      errors,
      wrong.map((pair) => `400 invalid_parameter ${pair.replace(/=.*/, '')}`),
    );
  });

  test('a page has its position, and its links keep every other parameter', async () => {
    const query = 'filter[url]=E&colour=%zz&page[size]=2&page[number]=2&sort=url-asc&x=1+2';
    const { document } = await api.get(`/api/v1/reports?${query}`);
    const kept = 'filter%5Burl%5D=E&colour=%zz&page%5Bsize%5D=2&sort=url-asc&x=1+2';
    const to = (number: number) => `${api.origin}/api/v1/reports?${kept}&page%5Bnumber%5D=${number}`;
    assert.deepEqual(document.links, {
      self: `${api.origin}/api/v1/reports?${query.replaceAll('[', '%5B').replaceAll(']', '%5D')}`,
      first: to(1),
      prev: to(1),
      next: to(3),
      last: to(3),
    });
    assert.deepEqual(document.meta, { total: 5, page: { number: 2, size: 2, pages: 3 } });
    assert.deepEqual(document.jsonapi, { version: '1.0' });
    for (const link of Object.values<string>(document.links)) assert.equal((await api.get(link)).status, 200, link);
  });

  test('the first and last page have no links beyond them, and a page past the end is empty', async () => {
    const first = (await api.get('/api/v1/reports')).document;
    assert.deepEqual(Object.keys(first.links), ['self', 'first', 'last']);
    assert.equal(first.links.self, `${api.origin}/api/v1/reports`);
    assert.deepEqual(first.meta, { total: 5, page: { number: 1, size: 25, pages: 1 } });
    const past = await api.get('/api/v1/reports?page[number]=1000000000&page[size]=3');
    assert.equal(past.status, 200);
    assert.deepEqual(past.document.data, []);
    assert.deepEqual(past.document.meta, { total: 5, page: { number: 1_000_000_000, size: 3, pages: 2 } });
    assert.ok(past.document.links.prev.endsWith('page%5Bnumber%5D=2'), past.document.links.prev);
    assert.equal(past.document.links.next, undefined);
    const none = (await api.get('/api/v1/reports?filter[url]=nowhere')).document;
    assert.deepEqual(none.meta, { total: 0, page: { number: 1, size: 25, pages: 0 } });
    assert.deepEqual(Object.keys(none.links), ['self', 'first', 'last']);
  });

  test('paging with ties in the order neither repeats nor skips', async () => {
    const account_id = api.people.strangerId;
    for (let index = 0; index < 23; index++) {
      const starting_url = `https://ties.example.com/${index % 2}`;
      await seedReport(api.db, { account_id, starting_url, num_pages: index % 3 }, [], []);
    }
    for (const sort of [
      '',
      'sort=num_web_pages-asc',
      'sort=url-desc',
      'sort=html_errors',
      'sort=last_checked_at-asc',
    ]) {
      const walked = await api.walk(`/api/v1/reports?page[size]=4&filter[url]=ties&${sort}`, api.people.stranger);
      assert.equal(walked.length, 23);
      assert.equal(new Set(walked.map((item) => item.id)).size, 23, sort);
    }
  });
});
