import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from '../../src/platform/nearest-name.ts';
import { fc } from '../helpers/random.ts';

const KNOWN = ['starting_url', 'max_pages', 'tags', 'username', 'filter[url]', 'a11y_errors', 'html_errors'] as const;

test('the name that was probably meant', () => {
  const meant: readonly (readonly [unknown: string, nearest: (typeof KNOWN)[number] | null])[] = [
    ['max_page', 'max_pages'],
    ['maxPages', 'max_pages'],
    ['max-paegs', 'max_pages'],
    ['STARTING_URL', 'starting_url'],
    ['user', 'username'],
    ['tag', 'tags'],
    ['filter[urls]', 'filter[url]'],
    ['html_error', 'html_errors'],
    // Short names are one typo away from any other.
    ['ta', null],
    ['id', null],
    ['colour', null],
    ['', null],
    ['__proto__', null],
    [`max_pages${'s'.repeat(60_000)}`, null],
  ];
  for (const [unknown, nearest] of meant) assert.equal(nearestName(unknown, KNOWN), nearest, unknown);
});

test('one typo in a name of six characters or more is corrected', () => {
  const known = KNOWN.filter((name) => name.length >= 6);
  const letter = fc.constantFrom(...'qxz');
  const slip = fc.constantFrom(
    (name: string, at: number) => name.slice(0, at) + name.slice(at + 1),
    (name: string, at: number, other: string) => name.slice(0, at) + other + name.slice(at),
    (name: string, at: number, other: string) => name.slice(0, at) + other + name.slice(at + 1),
    (name: string, at: number) =>
      name.slice(0, at) + [...name.slice(at, at + 2)].reverse().join('') + name.slice(at + 2),
  );
  fc.assert(
    fc.property(fc.constantFrom(...known), fc.nat(5), letter, slip, (name, at, other, make) => {
      assert.equal(nearestName(make(name, at, other), known), name);
    }),
  );
});
