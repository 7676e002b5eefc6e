import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Item, type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { identityOf } from '../helpers/identities.ts';
import { A11Y_ISSUE_TYPES, element, HTML_ISSUE_TYPES, occurrence } from '../helpers/sample-report.ts';
import { type SeedCheck, type SeedIssueType, type SeedPage, seedDocument, seedReport } from '../helpers/seed.ts';

const HOME = 'https://shop.example/';

/** A check that found some occurrences of types. The first ones are the same in all reports. */
function found(...types: readonly (readonly [SeedIssueType, number])[]): SeedCheck {
  return {
    status: 'checked',
    issues: types.map(([kind, howMany]) => ({
      kind,
      occurrences: Array.from({ length: howMany }, (_, line) => occurrence(line + 1)),
      identity: identityOf(kind.message, kind.message, howMany),
    })),
  };
}

const CLEAN = found();
const { duplicateId, fatal, info } = HTML_ISSUE_TYPES;
const page = (path: string, html: SeedCheck, a11y: SeedCheck): SeedPage => ({
  url: `${HOME}${path}`,
  checks: { html, a11y },
});
const contrast: SeedCheck = {
  status: 'checked',
  issues: [
    {
      kind: A11Y_ISSUE_TYPES.contrast,
      occurrences: [element('a'), element('b')],
      identity: identityOf('contrast', 'contrast', 2),
    },
  ],
};

/** The history of a site: the day on which each report finished, and its pages. */
const RUNS: readonly (readonly [day: string, pages: readonly SeedPage[], report?: object])[] = [
  [
    '2026-01-10',
    [
      page('', found([duplicateId, 3], [fatal, 1]), contrast),
      page('a', found([duplicateId, 1]), CLEAN),
      page('b', CLEAN, CLEAN),
      page('c', found([info, 1]), CLEAN),
    ],
  ],
  ['2026-02-10', [page('', found([duplicateId, 2]), contrast), page('a', CLEAN, CLEAN), page('b', CLEAN, CLEAN)]],
  [
    '2026-03-10',
    [
      page('', found([duplicateId, 1]), CLEAN),
      page('a', CLEAN, CLEAN),
      page('b', found([fatal, 1]), CLEAN),
      { url: `${HOME}c`, httpStatus: 404, checks: { html: { status: 'failed', error: ANSWERED_404 } } },
    ],
  ],
  ['2026-03-20', [], { status: 'failed' }],
  ['2026-03-25', [page('', CLEAN, CLEAN)], { crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }) }],
];

describe('comparisons of the periods of a site', () => {
  let api: TestApi;
  let site: string;
  const reports: string[] = [];
  before(async () => {
    api = await startApi();
    for (const [day, pages, more] of RUNS) {
      const time = new Date(`${day}T12:00:00Z`);
      const report = {
        account_id: api.people.ownerId,
        starting_url: HOME,
        inserted_at: time,
        finished_at: time,
        ...more,
      };
      const { reportId, pageIds } = await seedReport(api.db, report, ['html', 'a11y'], pages);
      for (const id of pageIds.values()) await seedDocument(api.db, id, Buffer.from(`${day} ${id}`));
      reports.push(reportId);
    }
    [{ id: site = '' } = { id: '' }] = await api.walk('/api/v1/sites');
  });
  after(() => api?.close());

  const compare = (query = '', token?: string): Promise<Reply> =>
    api.get(`/api/v1/sites/${site}/comparison${query}`, token);
  const attributesOf = async (query = ''): Promise<Item['attributes']> => {
    const reply = await compare(query);
    assert.equal(reply.status, 200, reply.text);
    return reply.document.data.attributes;
  };
  /** The positions of the two reports in the history. */
  const endsOf = async (query: string) => {
    const { before, now, before_is_later: isLater } = await attributesOf(query);
    const positions = [before, now].map((end) => (end === null ? null : reports.indexOf(end.report_id)));
    return isLater ? [...positions, 'later'] : positions;
  };

  test('begin with the last complete report by a day, and end with the last one by another day', async () => {
    assert.deepEqual(await endsOf(''), [0, 2]);
    assert.deepEqual(await endsOf('?since=previous'), [1, 2]);
    assert.deepEqual(await endsOf('?since=2026-02-09'), [0, 2]);
    assert.deepEqual(await endsOf('?since=2026-02-10'), [1, 2]);
    assert.deepEqual(await endsOf('?since=2026-01-20&until=2026-03-09'), [0, 1]);
    assert.deepEqual(await endsOf('?since=2025-12-01'), [0, 2, 'later']);
    assert.deepEqual(await endsOf('?since=2026-03-26'), [2, 2]);
    assert.deepEqual(await endsOf('?until=2026-01-31'), [0, 0]);
    assert.deepEqual(await endsOf('?since=previous&until=2026-01-31'), [null, 0]);
    assert.deepEqual(await endsOf('?until=2025-12-31'), [null, null]);
    assert.equal((await attributesOf('?since=2026-03-26')).found, null);
  });

  test('have the numbers of the two reports and of the list of changes', async () => {
    for (const query of ['', '?since=previous', '?until=2026-02-28']) {
      const { document } = await compare(query);
      const { before, now, found: changed } = document.data.attributes;
      for (const end of [before, now]) {
        const { attributes } = (await api.get(`/api/v1/reports/${end.report_id}`)).document.data;
        const checks = Object.values<Item['attributes']>(attributes.checks).filter((check) => check !== null);
        assert.equal(
          end.errors,
          checks.reduce((sum, { issues }) => sum + issues.errors, 0),
        );
        assert.deepEqual([end.num_pages, end.pages], [attributes.num_pages, attributes.pages]);
      }
      const { related } = document.data.relationships.changes.links;
      const changes = await api.get(related);
      assert.equal(changes.document.meta.with, before.report_id);
      assert.deepEqual(changed.changes, changes.document.meta.changes);
      assert.deepEqual(changed.issue_types, changes.document.meta.issue_types);
      assert.deepEqual(changed.settings, changes.document.meta.settings);
      const pages = await api.get(related.replace('/changes', '/changes/pages'));
      const { passing, failing, ...other } = changed.pages;
      assert.deepEqual(other, pages.document.meta.changes);
      assert.deepEqual([passing, failing], [changed.passing.length, changed.failing.length]);
      // Each list has the same rows as the list of changes, in another order.
      for (const [rows, filter] of [
        [changed.fixed, 'fixed'],
        [changed.new, 'new,regressed'],
      ] as const) {
        const listed = await api.walk(`${related}&filter[change]=${filter}`);
        const pick = ({ message, change, occurrences, how_many, how_many_before }: Item['attributes']) =>
          JSON.stringify({ message, change, occurrences, how_many, how_many_before });
        assert.deepEqual(rows.map(pick).toSorted(), listed.map(({ attributes }) => pick(attributes)).toSorted());
      }
    }
  });

  test('list what was fixed, the most first, what is new, and what was not looked for both times', async () => {
    const { found: changed, now, before } = await attributesOf();
    const rows = (list: Item['attributes'][], change: string) =>
      list.map(({ message, occurrences, change: whole }) => [message, occurrences[change], whole]);
    assert.deepEqual(rows(changed.fixed, 'fixed'), [
      [duplicateId.message, 3, 'fewer'],
      [A11Y_ISSUE_TYPES.contrast.message, 2, 'fixed'],
      [fatal.message, 1, 'persisting'],
    ]);
    assert.deepEqual(rows(changed.new, 'new'), [[fatal.message, 1, 'persisting']]);
    assert.deepEqual(changed.changes, {
      ...{ new: 1, regressed: 0, not_checked_before: 0, persisting: 1, fixed: 6, unverified: 1 },
    });
    assert.deepEqual(
      changed.passing.map(({ url, errors }: Item['attributes']) => [url, errors]),
      [[`${HOME}a`, 1]],
    );
    assert.deepEqual(
      changed.failing.map(({ url, errors }: Item['attributes']) => [url, errors]),
      [[`${HOME}b`, 1]],
    );
    assert.deepEqual(changed.pages, { passing: 1, failing: 1, broken: 1, recovered: 0, added: 0, removed: 0 });
    assert.deepEqual([before.errors, now.errors], [7, 2]);
  });

  test('keep the pages that pass or no longer pass with the diff, also with one from before they were kept', async () => {
    const expected = await attributesOf();
    const kept = api.db
      .selectFrom('changed_pages')
      .innerJoin('diffs', 'diffs.id', 'changed_pages.diff_id')
      .select(['change', 'num_pages'])
      .where('report_id', '=', reports[2] ?? '')
      .where('with_id', '=', reports[0] ?? '')
      .where('change', 'in', ['passing', 'failing'])
      .orderBy('change');
    const rows = [
      { change: 'failing', num_pages: 1 },
      { change: 'passing', num_pages: 1 },
    ];
    assert.deepEqual(await kept.execute(), rows);
    await sql`DELETE FROM changed_pages WHERE change IN ('passing', 'failing')`.execute(api.db);
    assert.deepEqual(await attributesOf(), expected);
    assert.deepEqual(await kept.execute(), rows);
    // The results at the end are read if something has changed since.
    await api.db.deleteFrom('diffs').execute();
    await api.db.updateTable('reports').set({ changed_since_end: true }).where('id', 'in', reports).execute();
    assert.deepEqual(await attributesOf(), expected);
    assert.deepEqual(await kept.execute(), rows);
  });

  test('are refused for invalid days and for sites of others', async () => {
    assert.deepEqual((await compare('?since=2026-02-30')).errors, ['400 invalid_parameter since']);
    assert.deepEqual((await compare('?until=first')).errors, ['400 invalid_parameter until']);
    assert.deepEqual((await compare('?since=2026-03-02&until=2026-03-01')).errors, ['400 invalid_parameter since']);
    assert.deepEqual((await compare('', api.people.stranger)).errors, ['404 not_found']);
  });

  test('show readers of the share link the same, as far as the plan of its owner includes it', async () => {
    const link = await api.send('POST', '/api/v1/share_links', { attributes: { site_id: site } });
    const secret = link.document.data.attributes.share_url.split('/').at(-1);
    assert.deepEqual((await compare('', secret)).document.data.attributes, await attributesOf());
    const exported = await compare('/export?format=csv', secret);
    assert.equal(exported.status, 200);
  });

  test('can be downloaded: csv has a row for each changed type, html and md the same numbers', async () => {
    const csv = await compare('/export?format=csv');
    assert.equal(csv.headers['content-disposition'], 'attachment; filename="shop.example-fixed-2026-03-10.csv"');
    const [head = '', ...rows] = csv.text.replace('\uFEFF', '').trim().split('\r\n');
    assert.ok(head.startsWith('check,type,impact,rule_id,message,change,fixed,new,'), head);
    assert.equal(rows.length, 3);
    const sums = rows.map((row) => Number(/,(?:fewer|fixed|persisting),(\d+),/.exec(row)?.[1]));
    assert.deepEqual(sums, [3, 2, 1]);
    const html = (await compare('/export?format=html')).text;
    for (const words of [
      'What was fixed on https://shop.example/',
      'Compares the report of 2026-01-10, 12:00 UTC with the report of 2026-03-10, 12:00 UTC.',
      '<th scope="row">Errors</th><td>7</td><td>2</td>',
      '6 occurrences of 3 issue types fixed.',
      '1 occurrence of 1 issue type new or back.',
      '1 page can no longer be checked',
      '1 occurrence of the earlier report that the later one did not look for',
    ]) {
      assert.ok(html.includes(words), words);
    }
    const markdown = (await compare('/export?format=md')).text;
    for (const words of [
      '| Errors | 7 | 2 |',
      '### Fixed: 6 occurrences',
      '### New in the same period: 1 occurrence',
    ]) {
      assert.ok(markdown.includes(words), words);
    }
    const one = (await compare('/export?format=md&until=2026-01-31')).text;
    assert.ok(one.includes('There is only one report in this period'), one);
  });
});
