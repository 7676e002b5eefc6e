import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { NOTHING_DECIDED } from '../../src/api/attributes/change-counts.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createSchedule } from '../../src/schedules/save-schedule.ts';
import { saveDiff } from '../../src/store/diffs/diffs.ts';
import { stateOf } from '../../src/store/diffs/pending-insights.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { START_TIME_DEFAULT, type StartTime } from '../../src/store/schedules/schedules.ts';
import type { NewReport } from '../../src/store/schema.ts';
import { type Item, startApi, type TestApi } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { A11Y_ISSUE_TYPES, element, HTML_ISSUE_TYPES, occurrence } from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1, 12);

/** Three pages: one with errors of both kinds, a passing one, and one whose accessibility check failed. */
function pagesOf(url: string): SeedPage[] {
  const { duplicateId, info } = HTML_ISSUE_TYPES;
  const { imageAlt, contrast } = A11Y_ISSUE_TYPES;
  return [
    {
      url,
      checks: {
        html: { status: 'checked', issues: [{ kind: duplicateId, occurrences: [occurrence(1), occurrence(2)] }] },
        a11y: {
          status: 'checked',
          issues: [
            { kind: imageAlt, occurrences: [element('a'), element('b'), element('c')] },
            { kind: contrast, occurrences: [element('d')] },
            { kind: { ...imageAlt, type: 'warning', message: 'To review' }, occurrences: [element('e')] },
          ],
        },
      },
    },
    {
      url: `${url}good`,
      checks: {
        html: { status: 'checked', issues: [{ kind: info, occurrences: [occurrence(3)] }] },
        a11y: { status: 'checked' },
      },
    },
    { url: `${url}half`, checks: { html: { status: 'checked' }, a11y: { status: 'failed' } } },
  ];
}

const NEW = { change: 'new', cause: 'site' } as const;

describe('sites', () => {
  let api: TestApi;
  let owner: string;
  before(async () => {
    api = await startApi({ scheduleTimeMs: 12_600_000 });
    owner = api.people.ownerId;
  });
  after(() => api?.close());

  /** A report of a site on a day, which ended an hour later. */
  async function report(url: string, day: number, more: Partial<NewReport> = {}): Promise<string> {
    const time = START + day * DAY_MS;
    const times = {
      inserted_at: new Date(time),
      finished_at: new Date(time + 3_600_000),
      last_checked_at: new Date(time),
    };
    const values = { account_id: owner, starting_url: url, ...times, ...more };
    return (await seedReport(api.db, values, ['html', 'a11y'], pagesOf(url))).reportId;
  }
  const sites = (query = '', token = api.people.owner): Promise<Item[]> => api.walk(`/api/v1/sites?${query}`, token);
  const siteAt = async (url: string, query = ''): Promise<Item> => {
    const found = (await sites(query)).filter(({ attributes }) => attributes.starting_url === url);
    assert.equal(found.length, 1, url);
    return found[0] as Item;
  };
  const schedule = (url: string, changes: object = {}, accountId = owner, startTime: StartTime = START_TIME_DEFAULT) =>
    createSchedule({ db: api.db, credentialStore, clock: systemClock, scheduleTimeMs: 0 }, accountId, {
      definition: { ...DEFAULT_DEFINITION, starting_url: url, checks: ['a11y', 'html'], ...changes },
      periodicity: { every: 'day' },
      startTime,
      active: true,
      failOn: ['error'],
      siteAccess: null,
    });

  test('a site that is read alone says which settings changed with each run', async () => {
    const url = 'http://settings.test/';
    const device_id = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
    await report(url, 0);
    await report(url, 1, { max_pages: 50 });
    await report(url, 2, { max_pages: 50, device_id });
    await report(url, 3, { max_pages: 50, device_id });
    const listed = await siteAt(url);
    assert.equal('changed_settings' in listed.attributes.runs[0], false);
    const { runs } = (await api.get(`/api/v1/sites/${listed.id}`)).document.data.attributes;
    const changed = runs.map((run: { changed_settings: string[] }) => run.changed_settings);
    assert.deepEqual(changed, [[], ['device'], ['max_pages'], []]);
  });

  test('a site has its last 12 runs with their counts, and the tags of the newest report', async () => {
    const url = 'http://runs.test/';
    const ids: string[] = [];
    for (let day = 0; day < 14; day += 1) ids.push(await report(url, day, { tags: ['Old'] }));
    const running = await report(url, 14, { tags: ['New'], status: 'crawling', finished_at: null });
    const site = await siteAt(url);
    const { runs, ...attributes } = site.attributes;
    const { perform_html_checks: html, perform_a11y_checks: a11y, max_pages, device } = attributes;
    assert.deepEqual([html, a11y, max_pages, device], [true, true, 10, null]);
    assert.partialDeepStrictEqual(attributes, {
      ...{
        starting_url: url,
        tags: ['New'],
        change: null,
        attention: 'has_errors',
        next_run_at: null,
        runs_on_deploy: false,
      },
      ...{ name: '', notes: '', archived: false, num_reports: 15, num_schedules: 0 },
      last_checked_at: '2026-01-15T12:00:00',
    });
    assert.deepEqual(
      runs.map((run: { report_id: string }) => run.report_id),
      ids.toReversed().slice(0, 12),
    );
    assert.deepEqual(runs[0], {
      ...{ report_id: ids[13], status: 'finished', finished_at: '2026-01-14T13:00:00' },
      ...{
        errors: 6,
        errors_per_page: 8 / 3,
        severe_free: { pages: 1, checked: 2 },
        critical: 3,
        passed: 1,
        checked: 2,
        stopped: false,
        verdict: null,
        change: null,
        now: null,
      },
    });
    assert.equal(site.relationships.last_report.links.related, `${api.origin}/api/v1/reports/${running}`);
    const reports = await api.walk(site.relationships.reports.links.related);
    assert.deepEqual(reports.map(({ id }) => id).sort(), [...ids, running].sort());
  });

  test('a report links to its site and to the previous finished report', async () => {
    const url = 'http://before.test/';
    const first = await report(url, 0);
    await report(url, 1, { status: 'failed' });
    const last = await report(url, 2);
    const { relationships } = (await api.get(`/api/v1/reports/${last}`)).document.data;
    assert.equal(relationships.previous.links.related, `${api.origin}/api/v1/reports/${first}`);
    assert.equal((await api.get(relationships.site.links.related)).document.data.attributes.starting_url, url);
    const listed = (await api.walk(`/api/v1/reports?filter[url]=before.test`)).find(({ id }) => id === last);
    assert.deepEqual(listed?.relationships.previous, relationships.previous);
    const oldest = (await api.get(`/api/v1/reports/${first}`)).document.data;
    assert.equal(oldest.relationships.previous, undefined);

    const shared = await report(url, 3, { shared: true });
    const seen = (await api.get(`/api/v1/reports/${shared}`, api.people.stranger)).document.data;
    assert.deepEqual([seen.relationships.site, seen.relationships.previous], [undefined, undefined]);
  });

  test('a site links to its device, so that its settings can be copied', async () => {
    const { owner: token } = api.people;
    const attributes = { starting_url: 'http://phone.test/', perform_a11y_checks: true, device_id: IPHONE_15 };
    const { document: made } = await api.send('POST', '/api/v1/sites', { token, attributes });
    const { device } = made.data.relationships;
    assert.equal(device.links.related, `${api.origin}/api/v1/devices/${IPHONE_15}`);
    const changed = await api.send('PATCH', `/api/v1/sites/${made.data.id}`, {
      token,
      attributes: { device_id: null },
    });
    assert.equal(changed.document.data.relationships.device, undefined);
    assert.equal((await api.send('DELETE', `/api/v1/sites/${made.data.id}`, { token })).status, 204);
  });

  test('sites that need attention come first', async () => {
    await report('http://z-fails.attention.test/', 0, { status: 'failed' });
    await report('http://a-fine.attention.test/', 0);
    const over = JSON.stringify({ code: 'credits_over', params: { payer: 'account' } });
    await report('http://b-over.attention.test/', 0, { crawl_error: over });
    // Only the last run that has ended counts.
    await report('http://c-again.attention.test/', 0, { status: 'failed' });
    await report('http://c-again.attention.test/', 1);
    await report('http://c-again.attention.test/', 2, { status: 'crawling', finished_at: null });
    const shown = async (query: string) =>
      (await sites(`filter[url]=attention.test&${query}`)).map(
        ({ attributes }) => `${attributes.starting_url.slice(7, 8)} ${attributes.attention}`,
      );
    assert.deepEqual(await shown(''), ['z failed', 'b no_credits', 'a has_errors', 'c has_errors']);
    assert.deepEqual(await shown('sort=-attention'), ['a has_errors', 'c has_errors', 'b no_credits', 'z failed']);
    assert.deepEqual(await shown('sort=starting_url-desc'), [
      'z failed',
      'c has_errors',
      'b no_credits',
      'a has_errors',
    ]);
    assert.deepEqual(await shown('sort=-last_checked_at'), [
      'c has_errors',
      'a has_errors',
      'b no_credits',
      'z failed',
    ]);
  });

  test('new critical errors come first, then other new errors, missing credits and broken pages; only the last run counts', async () => {
    type Worse = { critical: number; errors: number; broken?: number; crawl_error?: string };
    const changed = async (url: string, { crawl_error, ...worse }: Worse) => {
      const before = await report(url, 0);
      const id = await report(url, 1, crawl_error === undefined ? {} : { crawl_error });
      const pages = { broken_pages: worse.broken ?? 0, recovered_pages: 1 };
      const counts = {
        new: 4,
        fixed: 3,
        regressed: 2,
        worse_critical: worse.critical,
        worse_errors: worse.errors,
        ...pages,
      };
      const states = { report_state: new Date(START), with_state: new Date(START) };
      await api.db
        .insertInto('diffs')
        .values({ report_id: id, with_id: before, is_previous: true, ...states, ...counts })
        .execute();
    };
    await changed('http://a-errors.change.test/', { critical: 0, errors: 1 });
    await changed('http://b-critical.change.test/', { critical: 1, errors: 2 });
    await changed('http://c-warnings.change.test/', { critical: 0, errors: 0 });
    await changed('http://d-earlier.change.test/', { critical: 1, errors: 1 });
    await report('http://d-earlier.change.test/', 2);
    await changed('http://e-broken.change.test/', { critical: 0, errors: 0, broken: 1 });
    await changed('http://f-both.change.test/', { critical: 1, errors: 1, broken: 1 });
    await changed('http://g-more-errors.change.test/', { critical: 0, errors: 1, broken: 1 });
    const over = JSON.stringify({ code: 'credits_over', params: { payer: 'account' } });
    await changed('http://h-over.change.test/', { critical: 0, errors: 0, broken: 1, crawl_error: over });
    const listed = await sites('filter[url]=change.test');
    assert.deepEqual(
      listed.map(({ attributes }) => [attributes.starting_url.slice(7, 8), attributes.attention].join(' ')),
      [
        ...['b new_critical', 'f new_critical', 'a new_errors', 'g new_errors', 'h no_credits'],
        ...['e broken_pages', 'c has_errors', 'd has_errors'],
      ],
    );
    const occurrences = { new: 4, fixed: 3, regressed: 2, not_checked_before: 0, unverified: 0 };
    const expected = { ...occurrences, decided: NOTHING_DECIDED, broken_pages: 1, recovered_pages: 1 };
    assert.deepEqual(listed[5]?.attributes.change, expected);
    const ofRuns = listed[5]?.attributes.runs.map(({ change }: { change: unknown }) => change);
    assert.deepEqual(ofRuns, [expected, null]);
    assert.equal(listed[7]?.attributes.change, null);
  });

  test('the next run is the earliest of its schedules, and needs credits', async () => {
    const url = 'http://scheduled.test/';
    await report(url, 0);
    await schedule('http://other.scheduled.test/');
    assert.equal((await siteAt(url)).attributes.next_run_at, null);
    await schedule(url, { max_pages: 50, tags: ['weekly'], rate_limit: 7 });
    const site = await siteAt(url);
    assert.match(site.attributes.next_run_at, /T03:30:00$/);
    assert.equal(site.attributes.attention, 'has_errors');
    await api.db.updateTable('accounts').set({ credits: 0 }).where('id', '=', owner).execute();
    assert.equal((await siteAt(url)).attributes.attention, 'no_credits');
    assert.equal((await siteAt('http://before.test/')).attributes.attention, 'has_errors');
    await api.db.updateTable('accounts').set({ credits: null }).where('id', '=', owner).execute();
  });

  test('the next run is the earliest of schedules with and without a time of day', async () => {
    const url = 'http://twice.scheduled.test/';
    await report(url, 0);
    await schedule(url);
    for (const timeOfDay of ['02:00', '05:00'])
      await schedule(url, {}, owner, { ...START_TIME_DEFAULT, timeOfDay, timeZone: 'Asia/Kathmandu' });
    const schedules = await api.walk(`/api/v1/schedules?filter[url]=${url}&sort=next_run_at`, api.people.owner);
    const times = schedules.map(({ attributes }) => attributes.next_run_at);
    assert.deepEqual(times, times.toSorted());
    assert.deepEqual(new Set(times.map((time) => time.slice(11, 16))), new Set(['03:30', '20:15', '23:15']));
    assert.equal((await siteAt(url)).attributes.next_run_at, times[0]);
  });

  test('sites are filtered by URL and by their tags; deleted reports do not count', async () => {
    const first = await report('http://one.filters.test/', 0, { tags: ['Shop'] });
    const second = await report('http://one.filters.test/', 1, { tags: ['blog'] });
    await report('http://two.filters.test/', 0, { tags: ['shop'] });
    const urls = async (query: string) => (await sites(query)).map(({ attributes }) => attributes.starting_url);
    assert.deepEqual(await urls('filter[url]=FILTERS.test'), ['http://one.filters.test/', 'http://two.filters.test/']);
    assert.deepEqual(await urls('filter[tags][list]=SHOP'), ['http://two.filters.test/']);
    const { id } = await siteAt('http://one.filters.test/');
    await deleteReport(api.db, second);
    assert.equal((await siteAt('http://one.filters.test/')).attributes.runs.length, 1);
    await deleteReport(api.db, first);
    assert.deepEqual(await urls('filter[url]=filters.test'), ['http://two.filters.test/']);
    assert.equal((await api.get(`/api/v1/sites/${id}`)).status, 404);
  });

  test('a host sees the sites of its guests, with the reports that they created as guests', async () => {
    const { guest, guestId, guestAccountId, stranger } = api.people;
    const url = 'http://guest.test/';
    const own = await report(url, 0, { account_id: guestId });
    const hosted = await report(url, 1, { account_id: guestId, guest_account_id: guestAccountId });
    const runsFor = async (query: string, token: string) =>
      (await sites(`filter[url]=guest.test&${query}`, token)).map(({ attributes }) =>
        attributes.runs.map((run: { report_id: string }) => run.report_id),
      );
    assert.deepEqual(await runsFor('', guest), [[hosted, own]]);
    assert.deepEqual(await runsFor('', api.people.owner), []);
    for (const query of ['created_by=all', 'created_by=guests', `created_by=guests&guest_token=${guestAccountId}`]) {
      assert.deepEqual(await runsFor(query, api.people.owner), [[hosted]], query);
    }
    assert.deepEqual(await runsFor('created_by=guests&guest_token=G000000000', api.people.owner), []);
    assert.deepEqual(await runsFor('created_by=all', stranger), []);
    const seen = (await api.get(`/api/v1/reports/${hosted}`)).document.data;
    assert.equal(seen.relationships.previous, undefined);
    const { attributes } = (await api.get(seen.relationships.site.links.related)).document.data;
    assert.equal(attributes.runs.length, 1);

    // The host does not see changes since a report that it cannot read.
    const compared = async (id: string, withId: string) => {
      const states = { report_state: new Date(START), with_state: new Date(START) };
      const row = { report_id: id, with_id: withId, is_previous: true, ...states, new: 1, worse_critical: 1 };
      await api.db.insertInto('diffs').values(row).execute();
    };
    const shownTo = async (token: string) => {
      const [site] = await sites('filter[url]=guest.test&created_by=all', token);
      return [site?.attributes.change?.new, site?.attributes.attention];
    };
    await compared(hosted, own);
    assert.deepEqual(await shownTo(api.people.owner), [undefined, 'has_errors']);
    assert.deepEqual(await shownTo(guest), [1, 'new_critical']);
    await compared(await report(url, 2, { account_id: guestId, guest_account_id: guestAccountId }), hosted);
    assert.deepEqual(await shownTo(api.people.owner), [1, 'new_critical']);
  });

  test('a host sees neither when the schedules of its guests run nor whether they have credits', async () => {
    const { guest, guestId, guestAccountId } = api.people;
    const url = 'http://planned.guest.test/';
    await report(url, 0, { account_id: guestId, guest_account_id: guestAccountId });
    await schedule(url, {}, guestId);
    await sql`UPDATE guest_accounts SET usage = max_usage, usage_month = date_trunc('month', now() AT TIME ZONE 'UTC')
      WHERE id = ${guestAccountId}`.execute(api.db);
    const shown = async (token: string) => {
      const [site] = await sites('filter[url]=planned.guest.test&created_by=all', token);
      return [typeof site?.attributes.next_run_at, site?.attributes.attention];
    };
    assert.deepEqual(await shown(guest), ['string', 'no_credits']);
    assert.deepEqual(await shown(api.people.owner), ['object', 'has_errors']);
  });

  test('without a Pro plan, accessibility errors do not count', async () => {
    const free = { account_id: api.people.freeId };
    const first = await report('http://free.test/', 0, free);
    const firstState = await stateOf(api.db, first, 'end');
    const last = await report('http://free.test/', 1, free);
    await sql`UPDATE common_issues SET fingerprint = substr(key, 17, 16) WHERE report_id = ${last}`.execute(api.db);
    const lastState = await stateOf(api.db, last, 'end');
    assert.ok(firstState !== undefined && lastState !== undefined);
    const compared = {
      withId: first,
      isPrevious: true,
      at: 'end' as const,
      reportState: lastState,
      withState: firstState,
    };
    const save = (kinds: readonly CheckKind[]) =>
      reportTransaction(api.db, last, async (change) => {
        change.markUnchanged();
        const issues = await change.trx
          .selectFrom('common_issues')
          .select(['kind', 'fingerprint', 'how_many'])
          .where('report_id', '=', last)
          .where('kind', 'in', kinds)
          .execute();
        const types = issues.map(({ kind, fingerprint, how_many: howMany }) => {
          const changed = {
            occurrences: { new: howMany },
            causes: { site: howMany },
            decided: {},
            worse: howMany,
            sample: null,
          };
          return { kind, fingerprint: fingerprint?.toString('hex') ?? '', ...NEW, ...changed };
        });
        await saveDiff(change, compared, {
          at: 'now',
          atBefore: 'now',
          kinds: ['a11y', 'html', 'link'],
          types,
          changed: null,
        });
      });
    const shown = async () => {
      const [site] = await sites('', api.people.free);
      const { runs, change, attention } = site?.attributes ?? {};
      return { errors: runs[0].errors, critical: runs[0].critical, change, attention };
    };
    const run = { errors: 2, critical: 0 };
    const occurrences = { new: 0, fixed: 0, regressed: 0, not_checked_before: 0, unverified: 0 };
    const nothing = { ...occurrences, decided: NOTHING_DECIDED, broken_pages: 0, recovered_pages: 0 };
    await save(['a11y']);
    assert.deepEqual(await shown(), { ...run, change: nothing, attention: 'has_errors' });
    await save(['html', 'a11y']);
    assert.deepEqual(await shown(), { ...run, change: { ...nothing, new: 3 }, attention: 'new_errors' });
  });
});
