import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTotpKey, periodAt, totpCode } from '../../src/logins/totp.ts';

/** The test vectors of RFC 6238, appendix B: time in seconds, code. */
const VECTORS = {
  sha1: [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [20_000_000_000, '65353130'],
  ],
  sha256: [
    [59, '46119246'],
    [1_111_111_109, '68084774'],
    [20_000_000_000, '77737706'],
  ],
  sha512: [
    [59, '90693936'],
    [1_111_111_109, '25091201'],
    [20_000_000_000, '47863826'],
  ],
} as const;
const KEYS = {
  sha1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  sha256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====',
  sha512: `${'GEZDGNBVGY3TQOJQ'.repeat(6)}GEZDGNA=`,
} as const;

test('one-time passwords match RFC 6238', () => {
  for (const name of ['sha1', 'sha256', 'sha512'] as const) {
    const key = parseTotpKey(
      `otpauth://totp/Shop:checker?secret=${KEYS[name]}&digits=8&algorithm=${name.toUpperCase()}`,
    );
    assert.ok(key !== null);
    for (const [seconds, code] of VECTORS[name]) assert.equal(totpCode(key, periodAt(key, seconds * 1_000)), code);
  }
});

test('keys are read as sites show them', () => {
  const plain = parseTotpKey('GEZDGNBVGY3TQOJQ');
  assert.deepEqual(parseTotpKey(' gezd gnbv gy3t qojq '), plain);
  assert.equal(plain && totpCode(plain, 1).length, 6);
  for (const wrong of [
    '',
    'password',
    'GEZD',
    'otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ',
    'otpauth://totp/a',
    ...['02', '5', '999'].map((period) => `otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&period=${period}`),
  ]) {
    assert.equal(parseTotpKey(wrong), null, wrong);
  }
});
