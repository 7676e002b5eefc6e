import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Periodicity } from '../../packages/client/periodicity.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { DEFAULT_LIMITS, parsePlanLimits } from '../../src/accounts/plans.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../src/domain/report-definition.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { TooManyReports } from '../../src/reports/create-report.ts';
import { runDueSchedule, startScheduling } from '../../src/schedules/run-schedule.ts';
import { changeSchedule, createSchedule, type ScheduleChange } from '../../src/schedules/save-schedule.ts';
import {
  acceptInvitation,
  insertGuestAccount,
  markGuestAccountDeleted,
} from '../../src/store/accounts/guest-accounts.ts';
import { type Database, type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import {
  findSchedule,
  type Schedule,
  type ScheduleSettings,
  START_TIME_DEFAULT,
  type StartTime,
  updateSchedule,
} from '../../src/store/schedules/schedules.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';
import { credentialStore, keptSecret } from '../helpers/credential-store.ts';
import { PATIENT_DATABASE } from '../helpers/patience.ts';
import { until } from '../helpers/until.ts';

const log = pino({ level: 'silent' });
const DAILY: Periodicity = { every: 'day' };

describe('automatic runs of schedules', () => {
  let store: TestStore;
  /** A second process with its own connections. */
  let second: OpenDatabase;
  let now = new Date();
  const clock = () => now;
  let planLimits = DEFAULT_LIMITS;
  let scheduleTimeMs = 0;

  before(async () => {
    store = await openTestStore();
    second = openDatabase(store.connectionString, () => undefined, PATIENT_DATABASE);
  });
  beforeEach(async () => {
    now = new Date('2027-12-30T15:00:00Z');
    scheduleTimeMs = 0;
    await store.db.deleteFrom('schedules').execute();
    await store.db.deleteFrom('reports').execute();
  });
  after(async () => {
    await second?.close();
    await store?.close();
  });

  const create = (
    periodicity: Periodicity,
    { accountId = store.accountId, ...changes }: Partial<ReportDefinition> & { accountId?: string } = {},
    startTime: Partial<StartTime> = {},
  ): Promise<string> => {
    const definition = { ...DEFAULT_DEFINITION, checks: ['html'], starting_url: 'https://example.com/', ...changes };
    const parts = { db: store.db, credentialStore, clock, scheduleTimeMs };
    return createSchedule(parts, accountId, {
      definition,
      periodicity,
      startTime: { ...START_TIME_DEFAULT, ...startTime },
      active: true,
      failOn: ['error'],
      siteAccess: null,
    });
  };
  /** Runs everything that is due, as one process does. */
  const runDue = async (db: Database, faults: unknown[] = []): Promise<void> => {
    const leftOut: string[] = [];
    const onFault = (id: string, error: unknown): void => {
      leftOut.push(id);
      faults.push(error);
    };
    while (
      await runDueSchedule({ db, credentialStore, clock, scheduleTimeMs, planLimits, log, onPutOff: onFault }, leftOut)
    );
  };
  const numReports = async (scheduleId: string): Promise<number> => {
    const reports = await store.db.selectFrom('reports').select('id').where('schedule_id', '=', scheduleId).execute();
    return reports.length;
  };
  const schedule = async (id: string): Promise<Schedule> => {
    const found = await findSchedule(store.db, id);
    assert.ok(found !== undefined);
    return found;
  };
  const times = async (id: string) => {
    const { last_run_at: last, next_run_at: next } = await schedule(id);
    return [last?.toISOString().slice(0, 16), next?.toISOString().slice(0, 16)];
  };

  const waitingBackends = async (): Promise<number[]> => {
    const { rows } = await sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.db);
    return rows.map(({ pid }) => pid);
  };

  test('run at midnight of their days, over a leap day', async () => {
    now = new Date('2028-02-26T15:00:00Z');
    const daily = await create(DAILY);
    const weekly = await create({ every: 'week', weekday: 'tuesday' });
    const monthly = await create({ every: 'month', monthday: 1 });
    const runs = new Map([daily, weekly, monthly].map((id) => [id, new Set<string | undefined>()]));
    while (now < new Date('2028-03-02T03:00:00Z')) {
      await runDue(store.db);
      for (const [id, seen] of runs) seen.add((await times(id))[0]);
      now = new Date(now.getTime() + 3 * 3_600_000);
    }
    const midnight = (day: string) => `2028-${day}T00:00`;
    const days = (id: string) => [...(runs.get(id) ?? [])].slice(1);
    assert.deepEqual(days(daily), ['02-27', '02-28', '02-29', '03-01', '03-02'].map(midnight));
    assert.deepEqual(days(weekly), [midnight('02-29')]);
    assert.deepEqual(days(monthly), [midnight('03-01')]);
    for (const id of runs.keys()) assert.equal(await numReports(id), days(id).length);
  });

  test('run late when too many reports wait', async () => {
    planLimits = parsePlanLimits('waiting_reports=1');
    const first = await create(DAILY);
    const second = await create(DAILY);
    now = new Date('2027-12-31T00:00:01Z');
    const faults: unknown[] = [];
    await runDue(store.db, faults);
    assert.deepEqual(
      faults.map((fault) => fault instanceof TooManyReports),
      [true],
    );
    const counts = await Promise.all([first, second].map(numReports));
    assert.deepEqual(counts.toSorted(), [0, 1]);
    const late = counts[0] === 0 ? first : second;
    assert.deepEqual((await schedule(late)).last_run_error, { code: 'too_many_waiting', params: { max: 1 } });
    await store.db.updateTable('reports').set({ crawl_pending: false }).execute();
    now = new Date('2027-12-31T00:05:00Z');
    await runDue(store.db, faults);
    assert.deepEqual([await numReports(first), await numReports(second), faults.length], [1, 1, 1]);
    assert.deepEqual(await times(late), ['2027-12-31T00:05', '2028-01-01T00:00']);
    assert.equal((await schedule(late)).last_run_error, null);
    planLimits = DEFAULT_LIMITS;
  });

  test('run at the configured time of day, and no day twice when it changes', async () => {
    now = new Date('2028-05-01T02:00:00Z');
    scheduleTimeMs = 3.5 * 3_600_000;
    const id = await create(DAILY);
    const hourly = async (until: string): Promise<string[]> => {
      const seen = new Set<string>();
      for (; now < new Date(until); now = new Date(now.getTime() + 1_800_000)) {
        const before = await numReports(id);
        await runDue(store.db);
        if ((await numReports(id)) > before) seen.add(now.toISOString().slice(5, 16));
      }
      return [...seen];
    };
    assert.deepEqual(await hourly('2028-05-02T12:00:00Z'), ['05-01T03:30', '05-02T03:30']);
    scheduleTimeMs = 23 * 3_600_000;
    assert.deepEqual(await hourly('2028-05-04T12:00:00Z'), ['05-03T23:00']);
    scheduleTimeMs = 0;
    // Today's run is late: it was due at 23:00.
    assert.deepEqual(await hourly('2028-05-06T00:00:00Z'), ['05-04T12:00', '05-05T00:00']);
  });

  test('run at their own time of day in their time zone when clocks change, regardless of the configured time', async () => {
    // Clocks in Berlin are set forward on March 26, and back on October 29.
    const berlin = { timeOfDay: '02:30', timeZone: 'Europe/Berlin' };
    const id = await create(DAILY, {}, berlin);
    const runsUntil = async (until: string): Promise<string[]> => {
      const seen: string[] = [];
      for (; now < new Date(until); now = new Date(now.getTime() + 900_000)) {
        const before = await numReports(id);
        await runDue(store.db);
        const ran = (await numReports(id)) - before;
        seen.push(...Array.from({ length: ran }, () => now.toISOString().slice(5, 16)));
      }
      return seen;
    };
    const change = (startTime: StartTime) =>
      changeSchedule({ db: store.db, credentialStore, clock, scheduleTimeMs }, id, changed({ startTime }));
    now = new Date('2028-03-25T00:00:00Z');
    await change({ ...berlin, isSpread: true });
    await change({ ...berlin, isSpread: false });
    assert.deepEqual(await runsUntil('2028-03-26T12:00:00Z'), ['03-25T01:30', '03-26T01:00']);
    scheduleTimeMs = 23 * 3_600_000;
    assert.deepEqual(await runsUntil('2028-03-27T12:00:00Z'), ['03-27T00:30']);
    now = new Date('2028-10-28T12:00:00Z');
    await runDue(store.db);
    assert.deepEqual(await runsUntil('2028-10-31T00:00:00Z'), ['10-29T00:30', '10-30T01:30']);
  });

  test('of one time are spread over the hour, each at its own minute', async () => {
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        create(DAILY, {}, { isSpread: true, ...(index % 2 === 0 && { timeOfDay: '03:30' }) }),
      ),
    );
    scheduleTimeMs = 3.5 * 3_600_000;
    const countReports = async (): Promise<number> =>
      Number((await sql<{ count: string }>`SELECT count(*) FROM reports`.execute(store.db)).rows[0]?.count);
    const started: number[] = [];
    for (let minute = -1; minute <= 60; minute += 1) {
      now = new Date(Date.UTC(2027, 11, 31, 3, 30 + minute));
      const before = await countReports();
      await runDue(store.db);
      started.push((await countReports()) - before);
    }
    assert.deepEqual([started[0], started.at(-1), await countReports()], [0, 0, ids.length]);
    assert.ok(Math.max(...started) <= 8 && started.filter((each) => each > 0).length > 25, started.join(' '));
    for (const id of ids) {
      const { last_run_at: last, next_run_at: next, time_of_day: own } = await schedule(id);
      const shift = own === null ? scheduleTimeMs : 0;
      assert.equal((next?.getTime() ?? 0) + shift - (last?.getTime() ?? 0), 86_400_000, 'always the same minute');
    }
  });

  test('run once, regardless of the number of processes', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => create(DAILY)));
    for (let day = 1; day <= 3; day += 1) {
      now = new Date(now.getTime() + 86_400_000);
      await Promise.all([store.db, second.db, store.db, second.db].map((db) => runDue(db)));
      for (const id of ids) assert.equal(await numReports(id), day);
    }
  });

  test('leave nothing incomplete when a process dies', async () => {
    const id = await create(DAILY);
    now = new Date('2027-12-31T00:00:00Z');
    const dying = openDatabase(store.connectionString, () => undefined, PATIENT_DATABASE);
    const faults: unknown[] = [];
    await store.db.transaction().execute(async (trx) => {
      // The report cannot be inserted while its account is locked, so the run stops in the middle.
      await trx.selectFrom('accounts').select('id').where('id', '=', store.accountId).forUpdate().execute();
      const run = runDue(dying.db, faults);
      await until(async () => (await waitingBackends()).length > 0);
      await runDue(second.db);
      for (const pid of await waitingBackends()) await sql`SELECT pg_terminate_backend(${pid})`.execute(trx);
      await run;
    });
    await dying.close();
    assert.equal(faults.length, 1);
    assert.equal(await numReports(id), 0);
    await runDue(second.db);
    assert.equal(await numReports(id), 1);
    assert.deepEqual(await times(id), ['2027-12-31T00:00', '2028-01-01T00:00']);
  });

  test('run once, late, if they were missed', async () => {
    const id = await create(DAILY);
    now = new Date('2028-02-10T07:30:00Z');
    await runDue(store.db);
    assert.equal(await numReports(id), 1);
    assert.deepEqual(await times(id), ['2028-02-10T07:30', '2028-02-11T00:00']);
  });

  test('stop when inactive, and continue when active again', async () => {
    const id = await create(DAILY);
    const parts = { db: store.db, credentialStore, clock, scheduleTimeMs };
    const setActive = (active: boolean) => changeSchedule(parts, id, changed({ active }));
    await setActive(false);
    now = new Date('2028-01-20T12:00:00Z');
    await runDue(store.db);
    await setActive(true);
    await runDue(store.db);
    assert.equal(await numReports(id), 0);
    assert.deepEqual(await times(id), [undefined, '2028-01-21T00:00']);
  });

  test('that cannot create a report say why and wait for their next day', async () => {
    const host = await createAccount(store.db, { email: 'host@example.com' });
    const guest = await createAccount(store.db, { email: 'guest@example.com', plan: 'free' });
    const invitation = { id: 'G0123456AB', hostId: host.id, invitation: keptSecret('x'), maxUsage: 100 };
    await insertGuestAccount(store.db, invitation);
    await acceptInvitation(store.db, invitation.id, guest.id);
    const id = await create(DAILY, { accountId: guest.id });
    now = new Date('2027-12-31T00:00:00Z');
    await runDue(store.db);
    assert.equal(await numReports(id), 1, 'the plan of the host counts');

    await markGuestAccountDeleted(store.db, invitation.id);
    now = new Date('2028-01-01T00:00:00Z');
    await runDue(store.db);
    assert.equal(await numReports(id), 1);
    assert.deepEqual(await times(id), ['2027-12-31T00:00', '2028-01-02T00:00']);
    assert.equal((await schedule(id)).last_run_error?.code, 'plan_without_schedules');

    await store.db.updateTable('accounts').set({ plan: 'pro' }).where('id', '=', guest.id).execute();
    now = new Date('2028-01-02T00:00:00Z');
    await runDue(store.db);
    assert.equal(await numReports(id), 2);
    assert.equal((await schedule(id)).last_run_error, null);
  });

  test('respect the current plan', async () => {
    const id = await create(DAILY, { max_pages: 500, rate_limit: 50 });
    now = new Date('2027-12-31T00:00:00Z');
    planLimits = { ...DEFAULT_LIMITS, enterprise: { ...DEFAULT_LIMITS.enterprise, max_pages: 20, rate_limit: 2 } };
    await runDue(store.db);
    planLimits = DEFAULT_LIMITS;
    const columns = ['max_pages', 'rate_limit'] as const;
    const reports = await store.db.selectFrom('reports').select(columns).where('schedule_id', '=', id).execute();
    assert.deepEqual(reports, [{ max_pages: 20, rate_limit: 2 }]);
    assert.equal((await schedule(id)).definition.max_pages, 500);
  });

  test('stay due after a fault, which is logged and blocks no other', async () => {
    const broken = await create(DAILY, { max_pages: -1 });
    const whole = await create(DAILY);
    now = new Date('2027-12-31T00:00:00Z');
    const faults: unknown[] = [];
    await runDue(store.db, faults);
    assert.equal(faults.length, 1);
    assert.deepEqual([await numReports(broken), await numReports(whole)], [0, 1]);
    assert.deepEqual(await times(broken), [undefined, '2027-12-31T00:00']);
  });

  test('use the default of a new attribute in older schedules', async () => {
    const id = await create(DAILY);
    await store.db
      .updateTable('schedules')
      .set({ definition: JSON.stringify({ starting_url: 'https://example.com/' }) })
      .where('id', '=', id)
      .execute();
    now = new Date('2027-12-31T00:00:00Z');
    await runDue(store.db);
    assert.equal(await numReports(id), 1);
    assert.equal((await schedule(id)).definition.max_pages, DEFAULT_DEFINITION.max_pages);
  });

  test('are waited for, including new ones', async () => {
    const worker = await joinWorkers(store.connectionString, store.db, log);
    const scheduling = startScheduling({
      db: store.db,
      credentialStore,
      worker,
      clock: systemClock,
      scheduleTimeMs,
      planLimits,
      log,
    });
    try {
      now = systemClock();
      const [one, two] = [await create(DAILY), await create(DAILY)];
      await updateSchedule(store.db, one, { next_run_at: new Date(Date.now() + 300) });
      // Only the change of another schedule wakes the process.
      await changeSchedule({ db: second.db, credentialStore, clock: systemClock, scheduleTimeMs }, two, changed({}));
      await until(async () => (await numReports(one)) === 1);
      const { last_run_at: last, next_run_at: next } = await schedule(one);
      assert.ok(last !== null && next !== null && last.getTime() < next.getTime());
      assert.match(next.toISOString(), /T00:00:00.000Z$/);
    } finally {
      await scheduling.stop();
      await worker.close();
    }
  });
});

/** Changes some settings, and nothing else. */
function changed(settings: Partial<Pick<ScheduleSettings, 'startTime' | 'active'>>): ScheduleChange {
  return { siteId: undefined, apply: (current) => ({ ...current, ...settings, siteAccess: null }) };
}
