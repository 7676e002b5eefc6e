import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { NO_ACCESS, type SiteAccess } from '../../src/domain/site-access.ts';
import { changeSite, deleteSite, mergeSite } from '../../src/reports/save-site.ts';
import { lockAccount } from '../../src/store/accounts/accounts.ts';
import { deleteReport, purgeBatch } from '../../src/store/reports/deletion.ts';
import { previousReport } from '../../src/store/reports/previous-report.ts';
import { reportTransaction } from '../../src/store/reports/report-transaction.ts';
import { lockSite, reportsOfSite, useSite } from '../../src/store/reports/sites.ts';
import { lockSchedule } from '../../src/store/schedules/schedules.ts';
import { newReport, openTestStore, type TestStore } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { seedReport } from '../helpers/seed.ts';
import { seedSite, siteContents } from '../helpers/sites.ts';
import { until } from '../helpers/until.ts';

const DEVICE = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';

let store: TestStore;
before(async () => {
  store = await openTestStore();
});
after(() => store?.close());

const parts = () => ({ db: store.db, credentialStore });

const siteOf = async (reportId: string): Promise<string | undefined> => {
  const query = store.db.selectFrom('reports').select('site_id').where('id', '=', reportId);
  return (await query.executeTakeFirstOrThrow()).site_id;
};

async function end(reportId: string, status: 'finished' | 'failed' = 'finished'): Promise<string> {
  const finishedAt = new Date();
  const firstFinishedAt = status === 'failed' ? null : finishedAt;
  const values = { finished_at: finishedAt, first_finished_at: firstFinishedAt, status, crawl_pending: false };
  await reportTransaction(store.db, reportId, async ({ trx, markUnchanged }) => {
    await trx.updateTable('reports').set(values).where('id', '=', reportId).execute();
    markUnchanged();
  });
  return reportId;
}

test('reports belong to the site with their starting URL, regardless of their other settings and the scheme', async () => {
  const site = await siteOf(await newReport(store, 'http://site.test/'));
  for (const other of [
    { max_pages: 7 },
    { device_id: DEVICE },
    { checks: ['a11y'] },
    { exclusions: ['/lone-\ud800'] },
  ]) {
    assert.equal(await siteOf(await newReport(store, 'http://site.test/', other)), site);
  }
  assert.equal(await siteOf(await newReport(store, 'https://site.test/')), site);
  for (const url of ['http://site.test/shop/', 'http://www.site.test/', 'http://site.test/?lang=de']) {
    assert.notEqual(await siteOf(await newReport(store, url)), site, url);
  }
});

test('of several sites with the starting URL, a report belongs to the one with its settings, or begins another', async () => {
  const url = 'http://several.test/';
  const desktop = await siteOf(await newReport(store, url));
  const mobile = await seedSite(store.db, store.accountId, { starting_url: url, device_id: DEVICE, max_pages: 100 });
  assert.notEqual(mobile, desktop);
  assert.equal(await siteOf(await newReport(store, url, { device_id: DEVICE })), mobile);
  assert.equal(await siteOf(await newReport(store, url)), desktop);
  const signingIn = (value: string) => ({ siteAccess: { ...NO_ACCESS, cookies: { session: value } } });
  const inside = await siteOf(await newReport(store, url, signingIn('first')));
  assert.ok(inside !== mobile && inside !== desktop);
  assert.equal(await siteOf(await newReport(store, url, signingIn('renewed'))), inside);
});

test('a site that no one has edited has the settings of its newest report; an edited one keeps its own', async () => {
  const url = 'http://settings.test/';
  const id = (await siteOf(await newReport(store, url))) ?? '';
  await newReport(store, url, { max_pages: 3 });
  const pages = async () => {
    const site = store.db.selectFrom('sites').select('definition').where('id', '=', id);
    return (await site.executeTakeFirstOrThrow()).definition.max_pages;
  };
  assert.equal(await pages(), 3);
  await newReport(store, url, { max_pages: 4, isTemporary: true });
  assert.equal(await pages(), 3);
  await changeSite(parts(), id, (current) => ({ ...current, name: 'Mine', siteAccess: null }));
  await newReport(store, url, { max_pages: 5 });
  assert.equal(await pages(), 3);
});

test('a site keeps its standard, and new reports that set none are measured by it', async () => {
  const url = 'http://measured.test/';
  const [account, unset] = [{ standard: 'rgaa-4' }, ['standard', 'best_practices']] as const;
  const ofReport = async (settings: Parameters<typeof newReport>[2]) => {
    const id = await newReport(store, url, settings);
    const report = store.db.selectFrom('reports').select(['standard', 'tested_standard', 'best_practices']);
    const {
      standard,
      tested_standard: tested,
      best_practices,
    } = await report.where('id', '=', id).executeTakeFirstOrThrow();
    assert.equal(tested, standard);
    return [standard, best_practices];
  };
  const ofSite = async () => {
    const sites = store.db.selectFrom('sites').select(['id', 'definition']).where('account_id', '=', store.accountId);
    const all = await sites.execute();
    const { id = '', definition } = all.find((site) => site.definition.starting_url === url) ?? {};
    return { id, measure: [definition?.standard, definition?.best_practices] };
  };
  // No one has chosen a standard for the site: what applies to the account becomes its own.
  assert.deepEqual(await ofReport({ standard: null }), [null, false]);
  assert.deepEqual(await ofReport({ ...account, unset }), ['rgaa-4', false]);
  assert.deepEqual((await ofSite()).measure, ['rgaa-4', false]);
  // Values of single reports stay theirs.
  assert.deepEqual(await ofReport({ standard: 'wcag22-aa', best_practices: true }), ['wcag22-aa', true]);
  assert.deepEqual(await ofReport({ standard: null, max_pages: 3 }), [null, false]);
  assert.deepEqual((await ofSite()).measure, ['rgaa-4', false]);
  assert.deepEqual(await ofReport({ standard: 'wcag20-a', unset }), ['rgaa-4', false]);
  assert.deepEqual(await ofReport({ ...account, best_practices: true, unset: ['standard'] }), ['rgaa-4', true]);
  const { id } = await ofSite();
  const chosen = (standard: 'section-508' | null) =>
    changeSite(parts(), id, ({ definition, ...current }) => ({
      ...{ ...current, definition: { ...definition, standard }, siteAccess: null },
    }));
  await chosen('section-508');
  assert.deepEqual(await ofReport({ ...account, unset }), ['section-508', false]);
  await chosen(null);
  assert.deepEqual(await ofReport({ ...account, unset }), [null, false]);
  assert.deepEqual((await ofSite()).measure, [null, false]);
});

test('a standard that a request does not set does not decide the site of its report', async () => {
  const url = 'http://several-measured.test/';
  const settings = { starting_url: url, standard: 'wcag22-aa', max_pages: 100, rate_limit: 100 } as const;
  const mobile = await seedSite(store.db, store.accountId, { ...settings, device_id: DEVICE });
  const desktop = await seedSite(store.db, store.accountId, settings);
  assert.equal(await siteOf(await newReport(store, url, { unset: ['standard', 'best_practices'] })), desktop);
  assert.notEqual(mobile, desktop);
});

test('a site goes with its last report, unless someone edited it or a schedule checks it', async () => {
  const count = async (id: string) => store.db.selectFrom('sites').select('id').where('id', '=', id).execute();
  const [plain, kept] = [await newReport(store, 'http://plain.test/'), await newReport(store, 'http://kept.test/')];
  const [plainSite = '', keptSite = ''] = [await siteOf(plain), await siteOf(kept)];
  await changeSite(parts(), keptSite, (current) => ({ ...current, name: 'Kept', siteAccess: null }));
  for (const report of [plain, kept]) await deleteReport(store.db, report);
  while (await purgeBatch(store.db));
  assert.deepEqual([(await count(plainSite)).length, (await count(keptSite)).length], [0, 1]);
  await deleteSite(store.db, keptSite);
  assert.equal((await count(keptSite)).length, 0);
});

test('concurrent first reports of an address are of one site', async () => {
  const reports = await Promise.all(Array.from({ length: 8 }, () => newReport(store, 'http://at-once.test/')));
  assert.equal(new Set(await Promise.all(reports.map(siteOf))).size, 1);
});

test('merging moves reports into one history, whose later reports are compared again', async () => {
  const [one, other] = [
    await end(await newReport(store, 'http://one.test/')),
    await end(await newReport(store, 'http://other.test/')),
  ];
  const [from = '', into = ''] = [await siteOf(one), await siteOf(other)];
  await mergeSite(store.db, from, into);
  assert.equal(await siteOf(one), into);
  assert.equal((await previousReport(store.db, other))?.id, one);
  assert.deepEqual(await reportsOfSite(store.db, into), [one, other]);
  await assert.rejects(mergeSite(store.db, from, into), { code: 'not_found' });
  await assert.rejects(mergeSite(store.db, into, into), { code: 'invalid' });
});

test('a site is deleted or merged while a schedule of it runs, one after the other', async () => {
  const other = await seedSite(store.db, store.accountId, { starting_url: 'http://kept.test/' });
  for (const end of [(id: string) => deleteSite(store.db, id), (id: string) => mergeSite(store.db, id, other)]) {
    const id = await seedSite(store.db, store.accountId, { starting_url: 'http://ended.test/' });
    await sql`INSERT INTO schedules (account_id, site_id, definition, active, hook_hash)
      SELECT account_id, id, definition, true, '' FROM sites WHERE id = ${id}`.execute(store.db);
    const schedules = store.db.selectFrom('schedules').select('id').where('site_id', '=', id);
    const schedule = await schedules.executeTakeFirstOrThrow();
    const ended = await store.db.transaction().execute(async (trx) => {
      await lockSchedule(trx, schedule.id);
      const ending = end(id);
      await waitingForLocks(store.db, 1);
      await useSite(trx, id, undefined);
      // A promise in an object is not waited for, and it cannot end before the transaction.
      return { ending };
    });
    await ended.ending;
    assert.equal(await store.db.transaction().execute((trx) => lockSite(trx, id)), undefined);
  }
});

test('reports that appear while their site is deleted or merged cannot block it', async () => {
  const { db, accountId } = store;
  await db.updateTable('accounts').set({ credits: 100 }).where('id', '=', accountId).execute();
  const other = await seedSite(db, accountId, { starting_url: 'http://remaining.test/' });
  for (const [index, ending] of [
    (id: string) => deleteSite(db, id),
    (id: string) => mergeSite(db, id, other),
  ].entries()) {
    const id = await seedSite(db, accountId, { starting_url: `http://closing-${index}.test/` });
    const late: string[] = [];
    for (const number of [1, 2]) {
      const url = `http://late-${index}-${number}.test/`;
      const report = { account_id: accountId, starting_url: url, status: 'checking', finished_at: null } as const;
      const { reportId } = await seedReport(db, report, ['html'], [{ url, checks: { html: { status: 'pending' } } }]);
      await sql`UPDATE checks SET paid_by = ${accountId} WHERE report_id = ${reportId}`.execute(db);
      late.push(reportId);
    }
    const second = late.toSorted()[1] ?? '';
    const [locked, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { ended, change } = await db.transaction().execute(async (blocker) => {
      await lockSite(blocker, id);
      const end = ending(id);
      await waitingForLocks(db, 1);
      // Both reports appear after it has begun. A check of the second one ends, which may return credits.
      await sql`UPDATE reports SET site_id = ${id} WHERE id = ANY(${late}::uuid[])`.execute(db);
      const checked = reportTransaction(db, second, async ({ trx }) => {
        locked.resolve();
        await begun.promise;
        await until(async () => {
          const { rows } = await sql`SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%from "reports"%'`.execute(
            db,
          );
          return rows.length > 0;
        });
        await lockAccount(trx, accountId);
      });
      await locked.promise;
      return { ended: end, change: checked };
    });
    begun.resolve();
    await change;
    await ended;
    assert.deepEqual(await reportsOfSite(db, id), []);
  }
});

test('the previous report is the latest finished one of the site, neither failed nor deleted', async () => {
  const url = 'http://previous.test/';
  const first = await end(await newReport(store, url), 'finished');
  const second = await end(await newReport(store, url), 'finished');
  const third = await end(await newReport(store, url), 'finished');
  await end(await newReport(store, url), 'failed');
  await newReport(store, url);
  const last = await newReport(store, url);
  const before = async (reportId: string) => (await previousReport(store.db, reportId))?.id;
  assert.equal(await before(last), third);
  await deleteReport(store.db, third);
  assert.equal(await before(last), second);
  assert.equal(await before(second), first);
  assert.equal(await before(first), undefined);
});

test('schedules change with their site, except where they have other settings', async () => {
  const id = await seedSite(store.db, store.accountId, { starting_url: 'http://followed.test/', max_pages: 100 });
  const daily = { ...NO_ACCESS, basicAuth: { username: 'ada', password: 'old' } };
  const add = async (definition: object, access: SiteAccess | null): Promise<string> => {
    const row = { account_id: store.accountId, site_id: id, definition: JSON.stringify(definition), active: true };
    const schedule = await store.db
      .insertInto('schedules')
      .values({ ...row, hook_hash: Buffer.from(`${Math.random()}`) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await setAccess(schedule.id, access);
    return schedule.id;
  };
  const setAccess = (schedule: string, access: SiteAccess | null) =>
    store.db
      .updateTable('schedules')
      .set({ site_access: access && credentialStore.seal(access, `schedule ${schedule}`) })
      .where('id', '=', schedule)
      .execute();
  const { definition } = siteContents({ starting_url: 'http://followed.test/', max_pages: 100 });
  const weekly = await add(definition, null);
  const quick = await add({ ...definition, max_pages: 20 }, daily);
  const access = { ...NO_ACCESS, basicAuth: { username: 'ada', password: 'new' } };
  await changeSite(parts(), id, (site) => ({
    ...site,
    definition: { ...site.definition, max_pages: 500, exclusions: ['/archive'] },
    siteAccess: access,
  }));
  const read = async (schedule: string) => {
    const row = store.db.selectFrom('schedules').selectAll().where('id', '=', schedule);
    const { definition: settings, site_access: sealed } = await row.executeTakeFirstOrThrow();
    return [settings.max_pages, settings.exclusions, credentialStore.open(sealed, `schedule ${schedule}`)];
  };
  assert.deepEqual(await read(weekly), [500, ['/archive'], access]);
  assert.deepEqual(await read(quick), [20, ['/archive'], daily]);
});
