import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MONTHDAY_MAX, nextRun, type Periodicity, WEEKDAYS } from '../../packages/client/periodicity.ts';
import { fc } from '../helpers/random.ts';

const DAY_MS = 86_400_000;

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
        assert.equal(nextRun(rule, after).toISOString(), new Date(expected).toISOString());
      }),
      { numRuns: 1_000 },
    );
  });

  test('follows the calendar over the ends of months and years, and over leap days', () => {
    const monthly = (monthday: number, after: string) =>
      nextRun({ every: 'month', monthday }, new Date(after)).toISOString();
    assert.equal(monthly(28, '2027-02-28T00:00:00Z'), '2027-03-28T00:00:00.000Z');
    assert.equal(monthly(28, '2028-01-31T12:00:00Z'), '2028-02-28T00:00:00.000Z');
    assert.equal(monthly(1, '2028-02-28T23:59:59.999Z'), '2028-03-01T00:00:00.000Z');
    assert.equal(monthly(1, '2027-12-01T00:00:00Z'), '2028-01-01T00:00:00.000Z');
    const daily = nextRun({ every: 'day' }, new Date('2028-02-28T00:00:00Z'));
    assert.equal(daily.toISOString(), '2028-02-29T00:00:00.000Z');
    const weekly = nextRun({ every: 'week', weekday: 'saturday' }, new Date('2027-12-31T00:00:00Z'));
    assert.equal(weekly.toISOString(), '2028-01-01T00:00:00.000Z');
  });
});
