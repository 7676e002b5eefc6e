import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RetainedReport, type RetentionRule, retain } from '../../src/domain/retention.ts';
import { fc } from '../helpers/random.ts';

const NOW = new Date('2026-11-26T12:00:00Z');
const DAY_MS = 86_400_000;
const SITES = ['shop', 'blog'] as const;
const TAGS = ['client', 'Weekly'] as const;
const SCHEDULES = ['nightly', 'monthly'] as const;

const reports: fc.Arbitrary<RetainedReport[]> = fc
  .array(
    fc.record({
      siteId: fc.constantFrom(...SITES),
      scheduleId: fc.constantFrom(null, ...SCHEDULES),
      tags: fc.subarray([...TAGS]),
      createdAt: fc.integer({ min: 0, max: 900 }).map((hours) => new Date(NOW.getTime() - hours * 11 * 3_600_000)),
      hasEnded: fc.boolean(),
      isShared: fc.boolean(),
      isBaseline: fc.boolean(),
      isNeeded: fc.boolean(),
      isComplete: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  .map((all) => all.map((report, index) => ({ ...report, id: String(index).padStart(3, '0') })));

const some = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined });
const rules: fc.Arbitrary<RetentionRule[]> = fc.array(
  fc
    .record({
      scope: fc.constantFrom(
        {},
        ...TAGS.map((tag) => ({ tag: tag.toUpperCase() })),
        ...SCHEDULES.map((id) => ({ schedule_id: id })),
      ),
      keep: fc.record({ keep_last: some, keep_days: some, keep_weekly: some, keep_monthly: some, keep_yearly: some }),
    })
    .map(({ scope, keep }) => JSON.parse(JSON.stringify({ ...scope, ...keep }))),
  { maxLength: 4 },
);

test('rules spare what must stay, keep the newest reports, and delete nothing when they are applied again', () => {
  fc.assert(
    fc.property(reports, rules, some, (all, given, more) => {
      const fates = retain(all, given, NOW);
      assert.deepEqual(
        [...fates.keys()].sort(),
        all.map(({ id }) => id),
      );
      const kept = all.filter(({ id }) => fates.get(id) !== null);
      for (const report of all) {
        const { hasEnded, isShared, isBaseline, isNeeded } = report;
        if (!hasEnded || isShared || isBaseline || isNeeded) assert.notEqual(fates.get(report.id), null);
        if (given.length === 0) assert.notEqual(fates.get(report.id), null);
      }
      for (const site of SITES) {
        const ofSite = all.filter(({ siteId }) => siteId === site);
        assert.equal(
          ofSite.length > 0,
          kept.some(({ siteId }) => siteId === site),
          'the newest report of a site stays',
        );
        const isComplete = (some: readonly RetainedReport[]) =>
          some.some(({ siteId, isComplete }) => siteId === site && isComplete);
        assert.equal(isComplete(all), isComplete(kept), 'and its newest complete report');
      }
      assert.ok(
        [...retain(kept, given, NOW).values()].every((fate) => fate !== null),
        'applied again, they delete nothing',
      );
      // Keeping more never deletes a report that was kept.
      const generous = given.map((rule) => ({ ...rule, keep_last: (rule.keep_last ?? 0) + (more ?? 0) }));
      const generously = retain(all, generous, NOW);
      for (const { id } of kept) assert.notEqual(generously.get(id), null);
    }),
  );
});

test('a schedule goes before tags, tags before the account, and the newest report of each period is kept', () => {
  const report = (days: number, parts: Partial<RetainedReport> = {}): RetainedReport => ({
    ...{ id: String(1_000 - days), siteId: 'shop', scheduleId: null, tags: [], hasEnded: true },
    ...{
      isShared: false,
      isBaseline: false,
      isNeeded: false,
      isComplete: true,
      createdAt: new Date(NOW.getTime() - days * DAY_MS),
    },
    ...parts,
  });
  const keptOf = (all: readonly RetainedReport[], given: readonly RetentionRule[]) =>
    [...retain(all, given, NOW)].flatMap(([id, reason]) =>
      reason === null ? [] : [`${1_000 - Number(id)} ${reason}`],
    );
  const daily = Array.from({ length: 70 }, (_, days) => report(days));
  assert.deepEqual(keptOf(daily, [{ keep_last: 3 }]), ['0 newest', '1 last', '2 last']);
  assert.deepEqual(keptOf(daily, [{ keep_monthly: 12 }]), ['0 newest', '26 monthly', '57 monthly']);
  assert.deepEqual(keptOf(daily, [{ keep_weekly: 2, keep_yearly: 1 }]), ['0 newest', '4 weekly']);
  assert.deepEqual(keptOf(daily, [{ keep_days: 2 }]), ['0 newest', '1 days']);
  // Complete reports count, and a failed one does not take the place of a complete one.
  const failing = daily.map((one, days) =>
    days === 26 || (days > 0 && days < 10) ? { ...one, isComplete: false } : one,
  );
  assert.deepEqual(keptOf(failing, [{ keep_monthly: 12 }]), ['0 newest', '27 monthly', '57 monthly']);
  assert.equal(keptOf(failing, [{ keep_last: 2 }]).at(-1), '10 last');
  const failed = daily.map((one) => ({ ...one, isComplete: false }));
  assert.deepEqual(keptOf(failed, [{ keep_last: 2 }]), ['0 newest', '1 last']);
  const mixed = [
    report(0),
    report(1, { scheduleId: 'nightly', tags: ['client'] }),
    report(2, { tags: ['Client'] }),
    report(3, { tags: ['client'], isShared: true }),
    report(4),
  ];
  const given = [{ keep_days: 1 }, { tag: 'client', keep_days: 10 }, { schedule_id: 'nightly', keep_days: 1 }];
  assert.deepEqual(keptOf(mixed, given), ['0 newest', '2 days', '3 shared']);
  assert.deepEqual(keptOf(mixed, given.slice(1)), ['0 newest', '2 days', '3 shared', '4 no_rule']);
});
