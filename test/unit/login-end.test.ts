import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { whyNotSignedIn } from '../../src/logins/login-end.ts';

const CODE = { selector: '#code', url: 'https://shop.example/check?step=2' };

/** A page with a password field, with the field of a one-time password, or with neither. */
function pageAt(url: string, shown: 'password' | 'code' | 'nothing'): Page {
  const evaluate = async (script: string): Promise<boolean> =>
    shown === (script.includes('"#code"') ? 'code' : 'password');
  // biome-ignore lint/suspicious/noExplicitAny: only what is used of a page.
  return { url: () => url, evaluate } as any;
}

test('what the last page asks for says why a login did not work', async () => {
  const ends = [
    [pageAt('https://shop.example/check', 'password'), CODE, 'login_not_signed_in'],
    [pageAt('https://shop.example/login', 'nothing'), null, 'login_not_signed_in'],
    // The key of the one-time password is wrong.
    [pageAt('https://shop.example/check?again', 'code'), CODE, 'login_code_refused'],
    // The application has such a field, too.
    [pageAt('https://shop.example/home', 'code'), CODE, 'login_test_not_met'],
    [pageAt('https://shop.example/home', 'nothing'), null, 'login_test_not_met'],
  ] as const;
  const test = { selector: '#account-menu' };
  for (const [page, code, expected] of ends) assert.equal((await whyNotSignedIn(page, code, test)).code, expected);
});
