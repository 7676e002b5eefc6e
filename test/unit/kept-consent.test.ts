import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserState } from '../../src/browser/browser-state.ts';
import { storageMaxCharacters } from '../../src/browser/limits.ts';
import { createKeptConsent } from '../../src/checks/a11y/kept-consent.ts';
import type { LoginSession, SessionCookie } from '../../src/domain/login-session.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';

const COOKIE: SessionCookie = {
  ...{ name: 'sid', value: 'one', domain: 'example.com', path: '/', expires: null, port: 443 },
  ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
};
const EMPTY: BrowserState = { cookies: [], origin: 'https://example.com', localStorage: [], sessionStorage: [] };

test('the storage of banners that were dismissed stays bounded, without the oldest entries', async () => {
  const kept = createKeptConsent();
  const value = 'x'.repeat(storageMaxCharacters / 10);
  for (let page = 1; page <= 20; page += 1) {
    const entries = [
      ['choice', `${page}`],
      [`key-${page}`, value],
    ] as const;
    kept.add('report', { ...EMPTY, localStorage: entries, sessionStorage: entries }, undefined);
  }
  const { localStorage = [], sessionStorage = [] } = (await kept.read('report')) ?? {};
  for (const entries of [localStorage, sessionStorage]) {
    const names = entries.map(([name]) => name);
    assert.deepEqual(names, [12, 13, 14, 15, 16, 17, 18, 19].map((page) => `key-${page}`).concat('choice', 'key-20'));
    assert.equal(new Map(entries).get('choice'), '20');
  }
});

test('what belongs to credentials is not kept with the choice in a banner', async () => {
  const entries = (...names: readonly string[]) => names.map((name) => [name, 'value'] as const);
  const session: LoginSession = {
    ...{ cookies: [{ ...COOKIE, port: null }], origin: EMPTY.origin, url: `${EMPTY.origin}/home` },
    ...{ localStorage: entries('token'), sessionStorage: entries('tab') },
    ...{ loginPages: [], loginFields: [], hasPasswordField: false },
  };
  const [consent, elsewhere] = [
    { ...COOKIE, name: 'consent' },
    { ...COOKIE, domain: 'ads.example' },
  ];
  const state: BrowserState = {
    ...{ cookies: [{ ...COOKIE, value: 'two' }, { ...COOKIE, name: 'key' }, consent, elsewhere], origin: EMPTY.origin },
    ...{ localStorage: entries('token', 'consent'), sessionStorage: entries('tab', 'token') },
  };
  const access = { ...NO_ACCESS, cookies: { key: 'secret' } };
  const expected = {
    cookies: [consent, elsewhere],
    localStorage: entries('consent'),
    sessionStorage: entries('token'),
  };
  const kept = createKeptConsent();
  const signIn = { access, session, origins: new Set([EMPTY.origin]) };
  kept.add('report', state, signIn);
  // Another origin has another storage.
  const other = { ...state, origin: 'https://other.example' };
  kept.add('other', other, signIn);
  kept.add('nothing', { ...EMPTY, localStorage: entries('token') }, signIn);
  const read = await Promise.all(['report', 'other', 'nothing'].map(kept.read));
  assert.deepEqual(read, [{ ...state, ...expected }, { ...other, cookies: expected.cookies }, null]);
});
