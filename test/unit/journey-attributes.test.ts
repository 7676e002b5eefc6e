import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { type Journey, shownJourney, withStoredSecrets } from '../../src/domain/journey.ts';
import { NO_ACCESS, type SiteAccess } from '../../src/domain/site-access.ts';
import { readJourneys } from '../../src/reports/definition/journey-attributes.ts';
import { parseNewReport } from '../../src/reports/definition/new-report.ts';
import { readSiteAccess } from '../../src/reports/definition/site-access-attributes.ts';

const PAYING: Journey = {
  name: 'Paying',
  steps: [
    { open: '/shop?all' },
    { fill: '#card', secret: '4000-0000-0000-0002' },
    { check: 'Form' },
    { fill: '#code', totp: 'JBSWY3DPEHPK3PXP' },
    { press: 'Enter' },
    { check: 'Thanks' },
  ],
};
const BROWSING: Journey = { name: 'Menu', steps: [{ open: 'https://example.com/' }, { check: 'Menu' }] };

const MARKS_21 = Array.from({ length: 21 }, (_, index) => ({ check: `Mark ${index}` }));

function faultsOf(given: unknown, stored: readonly Journey[] = []): string {
  const faults: string[] = [];
  readJourneys(given, (path, message) => faults.push(`${path.join('/')} ${message}`), stored);
  return faults.join();
}

test('journeys are read as they are written', () => {
  assert.equal(faultsOf([PAYING, BROWSING]), '');
  const parsed = parseNewReport({ starting_url: 'http://x/', journeys: [PAYING, BROWSING] }, DEFAULT_LIMITS.pro);
  assert.ok('value' in parsed);
  const { journeys, siteAccess } = parsed.value;
  assert.deepEqual(journeys, [PAYING, BROWSING].map(shownJourney));
  assert.ok(!/4000|JBSWY/.test(JSON.stringify(journeys)));
  // Without secrets, a journey does not sign in.
  assert.deepEqual(siteAccess.journeys, [PAYING]);
  assert.deepEqual(withStoredSecrets(shownJourney(PAYING), [PAYING]), PAYING);
  assert.deepEqual(withStoredSecrets(shownJourney(BROWSING), []), BROWSING);
  assert.equal(withStoredSecrets(shownJourney(PAYING), []), null);
});

test('secrets are kept for the same fields of the same journey', () => {
  const stored: SiteAccess = { ...NO_ACCESS, cookies: { a: 'b' }, journeys: [PAYING] };
  const read = (journeys: unknown, current = stored) => {
    const faults = new Map();
    return { access: readSiteAccess({ journeys }, faults, () => current), faults: [...faults.keys()] };
  };
  const shown = shownJourney(PAYING);
  assert.deepEqual(read([shown, BROWSING]), { access: stored, faults: [] });
  assert.deepEqual(read([BROWSING]), { access: { ...NO_ACCESS, cookies: { a: 'b' } }, faults: [] });
  const without = { ...NO_ACCESS, cookies: { a: 'b' } };
  assert.deepEqual(read([BROWSING], without), { access: null, faults: [] });
  const elsewhere = { ...shown, steps: [{ open: 'https://example.org/' }, ...shown.steps] };
  for (const given of [elsewhere, { ...shown, name: 'Other' }]) {
    assert.match(read([given]).faults.join(), /^journeys\/0\/steps\/\d\/secret,/);
  }
});

test('each fault is reported where it is', () => {
  const open = { open: '/' };
  const cases: readonly (readonly [journeys: unknown, fault: RegExp])[] = [
    ['Checkout', /^ must be an array$/],
    [Array(21).fill(BROWSING), /^ must contain at most 20 journeys$/],
    [['Checkout'], /^0 must be an object with name and steps$/],
    [[BROWSING, BROWSING], /^1\/name is the name of another journey$/],
    [[{ ...BROWSING, name: ' ' }], /^0\/name can't be blank$/],
    [[{ ...BROWSING, name: 'x'.repeat(81) }], /^0\/name must have at most 80 characters$/],
    [[{ ...BROWSING, url: '/' }], /^0\/url is not one of name, steps$/],
    [[{ name: 'a', steps: [] }], /^0\/steps must have 1 to 100 steps$/],
    [[{ name: 'a', steps: Array(101).fill(open) }], /^0\/steps must have 1 to 100 steps$/],
    [[{ name: 'a', steps: [open, ...MARKS_21] }], /^0\/steps must have 1 to 20 steps with check$/],
    [[{ name: 'a', steps: [{ check: 'a' }] }], /^0\/steps\/0 must open a URL$/],
    [[{ name: 'a', steps: [open] }], /^0\/steps must have 1 to 20 steps with check$/],
    [[{ name: 'a', steps: [open, { check: '' }] }], /^0\/steps\/1\/check can't be blank$/],
    [
      [{ name: 'a', steps: [open, { check: 'a' }, { check: 'a' }] }],
      /^0\/steps\/1\/check must be unique in the journey/,
    ],
    [[{ name: 'a', steps: [open, { check: 'a', click: 'b' }] }], /^0\/steps\/1\/click is not allowed in a check step$/],
    [[{ name: 'a', steps: [{ open: '//example.org/' }, { check: 'a' }] }], /^0\/steps\/0\/open must begin with/],
    [[{ name: 'a', steps: [{ open: '/\\example.org/' }, { check: 'a' }] }], /^0\/steps\/0\/open must begin with/],
    [[{ name: 'a', steps: [open, { look: 'a' }] }], /^0\/steps\/1\/look is not one of open, .*, check$/],
  ];
  for (const [journeys, fault] of cases) assert.match(faultsOf(journeys), fault);
  for (const [journeys] of cases) {
    const parsed = parseNewReport({ starting_url: 'http://x/', journeys }, DEFAULT_LIMITS.pro);
    assert.ok('faults' in parsed, JSON.stringify(journeys));
    assert.ok(parsed.faults.every(({ path }) => path[0] === 'journeys'));
  }
});
