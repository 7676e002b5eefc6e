import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRedact } from '../../src/domain/redaction.ts';
import { NO_ACCESS, type SiteAccess } from '../../src/domain/site-access.ts';

const PASSWORD = `it's <"open"> & 50% sésame`;
const ACCESS: SiteAccess = {
  basicAuth: { username: 'staff', password: PASSWORD },
  headers: { 'x-preview': 'preview-of-tomorrow', 'x-mode': 'short' },
  cookies: { session: 's%3Aabc/DEF+ghi==', theme: 'dark', long: 'L'.repeat(40) + 'R'.repeat(40) },
};
const redact = createRedact(ACCESS);
const stars = (text: string): string => '*'.repeat(text.length);

describe('what signs in is hidden in what is told of a site', () => {
  const spellings = [
    PASSWORD,
    Buffer.from(`staff:${PASSWORD}`).toString('base64'),
    'preview-of-tomorrow',
    's%3Aabc/DEF+ghi==',
    's:abc/DEF+ghi==',
    encodeURIComponent(PASSWORD),
    encodeURIComponent(PASSWORD).replaceAll('%20', '+'),
    's%3aabc%2fDEF%2bghi%3d%3d',
    'it&#39;s &lt;&quot;open&quot;&gt; &amp; 50% sésame',
    'it&#x27;s &lt;&#34;open&#34;&gt; &amp; 50% sésame',
    `it's <&quot;open&quot;> &amp; 50% sésame`,
    JSON.stringify(PASSWORD).slice(1, -1),
    's:abc\\/DEF+ghi==',
  ];
  for (const spelling of spellings) {
    test(spelling, () => {
      assert.equal(redact(`<p title="${spelling}">`), `<p title="${stars(spelling)}">`);
      assert.equal(redact(`${spelling}${spelling}`), stars(`${spelling}${spelling}`));
    });
  }

  test('where it is cut off', () => {
    const [start, end] = ['L'.repeat(10), 'R'.repeat(10)];
    assert.equal(redact(`value="${start}`), `value="${stars(start)}`);
    assert.equal(redact(`${end}">`), `${stars(end)}">`);
    assert.equal(redact(`"${start}..."`), `"${stars(start)}..."`);
    assert.equal(redact(`"${start}…${end}"`), `"${stars(start)}…${stars(end)}"`);
    assert.equal(redact(`a[href$="${'R'.repeat(20)}"]`), `a[href$="${'*'.repeat(20)}"]`);
    assert.equal(redact(`preview-or-not, ${start}-`), `preview-or-not, ${start}-`);
  });

  test('of an Authorization of another kind, its token and its password', () => {
    const basic = `Basic ${Buffer.from('me:pass:word-2').toString('base64')}`;
    const hide = createRedact({ ...NO_ACCESS, headers: { authorization: basic, 'x-token': 'Bearer abcdefgh' } });
    assert.equal(hide(`${basic.slice(6)} pass:word-2 abcdefgh me`), `${stars(basic.slice(6))} *********** ******** me`);
  });

  test('in every text of a value, and not in names and addresses', () => {
    const secret = 'preview-of-tomorrow';
    const value = { [secret]: [secret, 1, null, true], url: secret, deep: { html: `<b>${secret}` } };
    const hidden = { [secret]: [stars(secret), 1, null, true], url: secret, deep: { html: `<b>${stars(secret)}` } };
    assert.deepEqual(redact(value), hidden);
  });
});

test('ordinary words stay, and without anything to hide, everything does', () => {
  const text = 'The dark theme of staff is short: theme, session, Basic.';
  assert.equal(redact(text), text);
  const value = { html: 'preview-of-tomorrow' };
  assert.equal(createRedact(NO_ACCESS)(value), value);
});

test('every text keeps its length, and no secret is left of it', () => {
  const part = fc.oneof(fc.constantFrom('a', '%', '"', '&', '\\', ' ', 'é', '…'), fc.string({ maxLength: 3 }));
  const secret = fc.array(part, { minLength: 8, maxLength: 20 }).map((parts) => parts.join('').trim());
  fc.assert(
    fc.property(secret, fc.array(fc.oneof(part, fc.constant(null))), (value, parts) => {
      fc.pre(value.length >= 8);
      const hide = createRedact({ ...NO_ACCESS, cookies: { value } });
      const text = parts.map((found) => found ?? value).join('');
      const hidden = hide(text);
      assert.equal(hidden.length, text.length);
      if (!/^\*+$/.test(value)) assert.ok(!hidden.includes(value));
      assert.equal(hide(hidden), hidden);
    }),
  );
});
