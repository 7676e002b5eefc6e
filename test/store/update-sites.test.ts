import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { schedulesMax } from '../../src/schedules/save-schedule.ts';
import { deleteSites, type SiteUpdate, updateSites } from '../../src/schedules/update-sites.ts';
import { lockAccount } from '../../src/store/accounts/accounts.ts';
import { lockSite, requireSite } from '../../src/store/reports/sites.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { seedSite } from '../helpers/sites.ts';

let store: TestStore;
before(async () => {
  store = await openTestStore();
});
after(() => store?.close());

const times = (every: 'day' | 'week'): SiteUpdate['schedule'] => ({
  periodicity: every === 'day' ? { every } : { every, weekday: 'friday' },
  startTime: { timeOfDay: null, timeZone: 'UTC', isSpread: false },
  active: true,
  failOn: ['error'],
});

const update = (ids: readonly string[], change: SiteUpdate, isRehearsal = false) =>
  updateSites({ db: store.db, credentialStore, clock: systemClock, scheduleTimeMs: 0 }, ids, change, {
    accountId: store.accountId,
    limits: DEFAULT_LIMITS.pro,
    isRehearsal,
  });

const seed = (host: string) => seedSite(store.db, store.accountId, { starting_url: `https://${host}.test/` });

/** Changes a site without changing anything. */
const UNCHANGED: SiteUpdate = {
  change: ({ name, notes, isArchived, definition }) => ({ name, notes, isArchived, definition, siteAccess: null }),
  schedule: null,
};

test('new schedules of sites and new share links do not wait for each other', async () => {
  const id = await seed('order');
  const scheduled = await store.db.transaction().execute(async (trx) => {
    await lockAccount(trx, store.accountId);
    const updates = update([id], { ...UNCHANGED, schedule: times('day') });
    await waitingForLocks(store.db, 1);
    await requireSite(trx, store.accountId, id);
    return { updates };
  });
  assert.deepEqual((await scheduled.updates).changed, [id]);
});

test('a rehearsal holds the lock of one site at a time', async () => {
  const [first, second] = [await seed('first'), await seed('second')];
  const { rehearsal } = await store.db.transaction().execute(async (trx) => {
    await lockSite(trx, second);
    const rehearsal = update([first, second], UNCHANGED, true);
    await waitingForLocks(store.db, 1);
    await lockSite(trx, first);
    return { rehearsal };
  });
  assert.deepEqual((await rehearsal).unchanged, [first, second]);
});

test('a rehearsal counts its new schedules against the limit', async () => {
  const ids = [await seed('one'), await seed('two'), await seed('three')];
  await update(ids.slice(0, 1), { change: null, schedule: times('week') });
  await sql`
    INSERT INTO schedules (account_id, site_id, definition, periodicity, active, hook_hash)
    SELECT account_id, site_id, definition, periodicity, active, decode(md5(n::text), 'hex')
    FROM (SELECT * FROM schedules WHERE site_id = ${ids[0]}) s,
      generate_series(1, ${schedulesMax} - 1 - (SELECT count(*)::integer FROM schedules)) n`.execute(store.db);
  const { changed, refused } = await update(ids.slice(1), { change: null, schedule: times('day') }, true);
  assert.deepEqual([changed, refused.map(({ siteId }) => siteId)], [[ids[1]], [ids[2]]]);
  assert.deepEqual(
    refused.map(({ error }) => error.message),
    ['An account can have at most 1000 schedules. Delete one that you no longer need.'],
  );
});

test('a site that is gone does not keep the sites after it from being deleted', async () => {
  const [gone, id] = [randomUUID(), await seed('deleted')];
  const { changed, refused } = await deleteSites({ db: store.db }, [gone, id], { reportsMax: 10, isRehearsal: false });
  assert.deepEqual([changed, refused.map(({ siteId, error }) => [siteId, error.code])], [[id], [[gone, 'not_found']]]);
});
