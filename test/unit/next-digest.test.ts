import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimeZone } from '../../src/domain/time-zone.ts';
import { nextDigest } from '../../src/notifications/next-digest.ts';

test('a digest is due at its hour where its readers are, even when clocks change', () => {
  for (const [hour, timeZone, now, expected] of [
    [7, 'UTC', '2026-03-01T06:59:59Z', '2026-03-01T07:00:00Z'],
    [7, 'UTC', '2026-03-01T07:00:00Z', '2026-03-02T07:00:00Z'],
    [7, 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T05:00:00Z'],
    // There is no 2 o'clock on that day.
    [2, 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
    // There are two of them on this day.
    [2, 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:00:00Z'],
    [2, 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-26T01:00:00Z'],
    [0, 'Asia/Kathmandu', '2026-12-31T18:14:59Z', '2026-12-31T18:15:00Z'],
    [9, '+05:30', '2026-01-01T00:00:00Z', '2026-01-01T03:30:00Z'],
  ] as const) {
    assert.equal(nextDigest({ hour, timeZone }, new Date(now)).toISOString(), new Date(expected).toISOString(), now);
  }
});

test('time zones have names or are offsets', () => {
  for (const zone of ['UTC', 'America/Argentina/Ushuaia', '-03:00']) assert.ok(isTimeZone(zone), zone);
  for (const zone of ['', 'Berlin', 'Europe/Berlin; DROP', '7', '2026-01-01T00:00Z'])
    assert.ok(!isTimeZone(zone), zone);
});
