import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  MONTHDAY_MAX,
  nextRun,
  nextRuns,
  type Periodicity,
  type RunTimes,
  SPREAD_MINUTES,
  spreadMinutes,
  WEEKDAYS,
} from '../../packages/client/periodicity.ts';
import { fc, randomFrom } from '../helpers/random.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const atMidnight = (periodicity: Periodicity): RunTimes => ({
  ...{ periodicity, timeOfDay: '00:00', timeZone: 'UTC', delayMinutes: 0 },
});

const periodicity: fc.Arbitrary<Periodicity> = fc.oneof(
  fc.constant({ every: 'day' } as const),
  fc.record({ every: fc.constant('week' as const), weekday: fc.constantFrom(...WEEKDAYS) }),
  fc.record({ every: fc.constant('month' as const), monthday: fc.integer({ min: 1, max: MONTHDAY_MAX }) }),
);
/** Any moment of four centuries, and often one right at midnight or at the end of a month. */
const moment = fc
  .tuple(
    fc.integer({ min: 1970, max: 2370 }),
    fc.nat(11),
    fc.integer({ min: 1, max: 31 }),
    fc.oneof(fc.constantFrom(0, 1, -1), fc.nat(DAY_MS)),
  )
  .map(([year, month, day, ms]) => new Date(Date.UTC(year, month, day) + ms));

const calendar = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', timeZone: 'UTC' });

/** Follows the calendar, without the arithmetic of the tested code. */
function isDayOf(rule: Periodicity, date: Date): boolean {
  const words = calendar.format(date);
  if (rule.every === 'day') return true;
  if (rule.every === 'week') return words.toLowerCase().includes(rule.weekday);
  return /\d+/.exec(words)?.[0] === String(rule.monthday);
}

describe('the next run', () => {
  test('is the first midnight of a day of the periodicity after now', () => {
    fc.assert(
      fc.property(periodicity, moment, (rule, after) => {
        let expected = (Math.floor(after.getTime() / DAY_MS) + 1) * DAY_MS;
        while (!isDayOf(rule, new Date(expected))) expected += DAY_MS;
        assert.equal(nextRun(atMidnight(rule), after).toISOString(), new Date(expected).toISOString());
      }),
      { numRuns: 500 },
    );
  });

  test('follows the calendar over the ends of months and years, and over leap days', () => {
    const monthly = (monthday: number, after: string) =>
      nextRun(atMidnight({ every: 'month', monthday }), new Date(after)).toISOString();
    assert.equal(monthly(28, '2027-02-28T00:00:00Z'), '2027-03-28T00:00:00.000Z');
    assert.equal(monthly(28, '2028-01-31T12:00:00Z'), '2028-02-28T00:00:00.000Z');
    assert.equal(monthly(1, '2028-02-28T23:59:59.999Z'), '2028-03-01T00:00:00.000Z');
    assert.equal(monthly(1, '2027-12-01T00:00:00Z'), '2028-01-01T00:00:00.000Z');
    const daily = nextRun(atMidnight({ every: 'day' }), new Date('2028-02-28T00:00:00Z'));
    assert.equal(daily.toISOString(), '2028-02-29T00:00:00.000Z');
    const weekly = nextRun(atMidnight({ every: 'week', weekday: 'saturday' }), new Date('2027-12-31T00:00:00Z'));
    assert.equal(weekly.toISOString(), '2028-01-01T00:00:00.000Z');
  });
});

/** The moments at which clocks change since 2012: until then, some zones skipped a whole day. */
const changes: readonly { readonly timeZone: string; readonly moment: number }[] = Intl.supportedValuesOf('timeZone')
  .filter((_, index) => index % 4 === 0)
  .concat('America/Nuuk', 'Australia/Lord_Howe', 'Europe/Berlin', 'America/Sao_Paulo', 'Africa/Cairo')
  .flatMap((timeZone) => {
    let change = Temporal.ZonedDateTime.from(`2012-01-01T00:00[${timeZone}]`).getTimeZoneTransition('next');
    const found: { timeZone: string; moment: number }[] = [];
    while (change !== null && change.year < 2030) {
      found.push({ timeZone, moment: change.epochMilliseconds });
      change = change.getTimeZoneTransition('next');
    }
    return found;
  });

const twoDigits = (number: number): string => String(number).padStart(2, '0');
const timeOfDay = fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `${twoDigits(hour)}:${twoDigits(minute)}`);
const delayMinutes = fc.oneof(fc.constant(0), fc.nat(SPREAD_MINUTES - 1));
/** A zone with a moment, mostly in the days around a change of its clocks. */
const zoned = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -3 * DAY_MS, max: 3 * DAY_MS })) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.record({
        timeZone: fc.constantFrom(...Intl.supportedValuesOf('timeZone'), 'UTC', '+05:30'),
        moment: fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) }),
      }),
      fc.constant(0),
    ),
  },
);

/** Finds the run of a day as `Temporal` does, which the tested code cannot use. */
function runOf(day: Temporal.PlainDate, { timeOfDay: time, timeZone }: Omit<RunTimes, 'periodicity'>): number {
  const local = day.toPlainDateTime(Temporal.PlainTime.from(time));
  const first = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  if (first.toPlainDateTime().equals(local)) return first.epochMilliseconds;
  return first.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.NaN;
}

describe('the next run at a time of day in a time zone', () => {
  test('is the first moment of that time, on every day of the periodicity, over changes of clocks', () => {
    fc.assert(
      fc.property(
        periodicity,
        timeOfDay,
        delayMinutes,
        zoned,
        (rule, time, delay, [{ timeZone, moment: near }, ms]) => {
          const times = { periodicity: rule, timeOfDay: time, timeZone, delayMinutes: delay };
          const after = new Date(near + ms);
          const runs = nextRuns(times, nextRun(times, after), 4).map((run) => run.getTime());
          const here = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timeZone);
          const expected: number[] = [];
          for (let day = here.toPlainDate().subtract({ days: 1 }); expected.length < 4; day = day.add({ days: 1 })) {
            if (!isDayOf(rule, new Date(`${day}T00:00Z`))) continue;
            const run = runOf(day, times) + delay * MINUTE_MS;
            if (run > after.getTime()) expected.push(run);
          }
          assert.deepEqual(runs, expected);
          assert.ok(runs.every((run, index) => run > (runs[index - 1] ?? after.getTime())));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('comes once when clocks change', () => {
    for (const [timeZone, time, after, ...expected] of [
      // 02:00 to 03:00 is skipped.
      ['Europe/Berlin', '02:30', '2026-03-27T12:00Z', '2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
      // 02:00 to 03:00 comes twice.
      ['Europe/Berlin', '02:30', '2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z', '2026-10-27T01:30Z'],
      // Midnight is skipped.
      ['Africa/Cairo', '00:15', '2026-04-22T22:15Z', '2026-04-23T22:00Z', '2026-04-24T21:15Z', '2026-04-25T21:15Z'],
      // The last hour of a day is skipped: its run is the first moment of the next day, which has a run, too.
      ['America/Nuuk', '23:30', '2026-03-28T00:00Z', '2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
      // Clocks change by half an hour.
      ['Australia/Lord_Howe', '02:10', '2026-10-02T16:00Z', '2026-10-03T15:30Z', '2026-10-04T15:10Z'],
      ['Asia/Kathmandu', '07:00', '2026-01-01T01:14Z', '2026-01-01T01:15Z', '2026-01-02T01:15Z'],
    ] as const) {
      const times = { periodicity: { every: 'day' }, timeOfDay: time, timeZone, delayMinutes: 0 } as const;
      const runs = nextRuns(times, nextRun(times, new Date(after)), expected.length);
      assert.deepEqual(
        runs.map((run) => run.toISOString().replace(':00.000', '')),
        expected,
        `${timeZone} ${after}`,
      );
    }
  });

  test('is on days of the time zone', () => {
    const friday = { periodicity: { every: 'week', weekday: 'friday' }, delayMinutes: 0 } as const;
    const next = (timeZone: string, time: string) =>
      nextRun({ ...friday, timeZone, timeOfDay: time }, new Date('2026-11-25T12:00Z'))
        .toISOString()
        .slice(0, 16);
    assert.equal(next('Pacific/Auckland', '07:30'), '2026-11-26T18:30');
    assert.equal(next('America/Los_Angeles', '21:00'), '2026-11-28T05:00');
  });
});

test('spread schedules are distributed evenly over the hour, each at a fixed minute', () => {
  const random = randomFrom();
  const digits = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const counts = new Map<number, number>();
  const ids = Array.from(
    { length: 500 },
    () => `019aba5e-8c51-7${digits().slice(0, 3)}-8${digits().slice(0, 3)}-${digits()}${digits().slice(0, 4)}`,
  );
  for (const id of ids) {
    const minute = spreadMinutes(id);
    assert.equal(minute, spreadMinutes(id));
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  const minutes = [...counts.keys()];
  assert.ok(Math.min(...minutes) >= 0 && Math.max(...minutes) < SPREAD_MINUTES);
  assert.ok(minutes.length > SPREAD_MINUTES * 0.9, `${minutes.length} of ${SPREAD_MINUTES} minutes`);
  const mean = ids.length / SPREAD_MINUTES;
  assert.ok(Math.max(...counts.values()) <= 3 * mean, `at most ${Math.max(...counts.values())} start together`);
});
