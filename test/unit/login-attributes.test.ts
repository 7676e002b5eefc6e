import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Login, shownLogin } from '../../src/domain/login.ts';
import { readLogin } from '../../src/reports/definition/login-attributes.ts';

const LOGIN = {
  steps: [
    { open: 'https://example.com/login' },
    { fill: '#name', value: 'checker' },
    { fill: '#password', secret: 'open-sesame' },
    { fill: '#code', totp: 'JBSWY3DPEHPK3PXP' },
    { select: 'select', value: 'Shop' },
    { press: 'Control+A' },
    { click: 'button' },
    { wait_for: { url: '/home' } },
    { expect: { text: 'Hello', selector: 'h1' } },
  ],
  signed_in: { selector: '#menu' },
} satisfies Login;

function read(given: unknown, stored: Login | null = null) {
  const faults: string[] = [];
  const login = readLogin(given, (path, message) => faults.push(`${path.join('/')} ${message}`), stored);
  return { login, faults };
}

test('a login is read as it is written', () => {
  assert.deepEqual(read(LOGIN), { login: LOGIN, faults: [] });
  assert.deepEqual(read(null), { login: null, faults: [] });
});

test('secrets are not shown, and kept for the same fields of the same sites', () => {
  const shown = shownLogin(LOGIN);
  assert.ok(!/sesame|JBSWY/.test(JSON.stringify(shown)));
  assert.deepEqual(read(shown, LOGIN), { login: LOGIN, faults: [] });
  const more = { ...shown, steps: [...shown.steps, { open: 'https://example.com/other' }] };
  assert.deepEqual(read(more, LOGIN).faults, []);
  // Otherwise, anyone who can change the login could have the password sent anywhere.
  const elsewhere = { steps: [{ open: 'https://example.org/login' }, ...shown.steps.slice(1)] };
  const renamed = { steps: [{ open: 'https://example.com/login' }, { fill: '#search', secret: true }] };
  for (const given of [elsewhere, renamed])
    assert.match(read(given, LOGIN).faults.join(), /secret must be entered again/);
  assert.match(read(shown, null).faults.join(), /totp must be entered again/);
});

test('each fault is reported where it is', () => {
  const open = { open: 'https://example.com/' };
  const cases: readonly (readonly [steps: readonly unknown[], fault: RegExp])[] = [
    [[], /^steps must have 1 to 50 steps$/],
    [[{ click: 'a' }], /^steps\/0 must open a URL$/],
    [[open, 'click'], /^steps\/1 must be an object$/],
    [[open, { open: 'ftp://example.com/' }], /^steps\/1\/open must begin with/],
    [[open, { open: 'https://user:password@example.com/' }], /^steps\/1\/open must not contain credentials$/],
    [[open, { fil: 'a', value: 'b' }], /^steps\/1\/fil is not one of open, .*: did you mean fill\?/],
    [[open, { click: 'a', press: 'Tab' }], /^steps\/1 must have exactly one of open, fill,/],
    [[open, { click: 'a', value: 'b' }], /^steps\/1\/value is not allowed in a step with click$/],
    [[open, { click: 'a[' }], /^steps\/1\/click is not a CSS selector: /],
    [[open, { click: ' ' }], /^steps\/1\/click needs a CSS selector$/],
    [[open, { fill: 'input' }], /^steps\/1\/fill needs exactly one of value, secret, totp$/],
    [[open, { fill: 'input', totp: 'not a key!' }], /^steps\/1\/totp must be a key in base32/],
    [[open, { press: 'Any key' }], /^steps\/1\/press must be a key/],
    [[open, { select: 'select' }], /^steps\/1\/value can't be blank$/],
    [[open, { expect: {} }], /^steps\/1\/expect needs url, selector or text$/],
    [[open, { wait_for: { title: 'Home' } }], /^steps\/1\/wait_for\/title is not one of/],
  ];
  for (const [steps, fault] of cases) assert.match(read({ steps }).faults.join(), fault);
});
