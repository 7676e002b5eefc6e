import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptIssues, redactRawCheck } from '../../src/checking/interpret-check.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { HTML } from '../../src/checks/html/description.ts';
import { interpretVnuOutput } from '../../src/checks/html/interpret.ts';
import type { FoundIssue } from '../../src/domain/check.ts';
import { createGrowingRedaction, createRedaction, type Redaction } from '../../src/domain/redaction.ts';
import { NO_ACCESS, type SiteAccess } from '../../src/domain/site-access.ts';
import { fc } from '../helpers/random.ts';

const PASSWORD = `it's <"open"> & 50% sésame`;
const ACCESS: SiteAccess = {
  basicAuth: { username: 'staff', password: PASSWORD },
  headers: { 'x-preview': 'preview-of-tomorrow', 'x-mode': 'short' },
  cookies: { session: 's%3Aabc/DEF+ghi==', theme: 'dark', long: 'L'.repeat(40) + 'R'.repeat(40) },
};
const redactionOf = (access: Partial<SiteAccess>): Redaction => {
  const redaction = createRedaction({ ...NO_ACCESS, ...access });
  assert.ok(redaction !== null);
  return redaction;
};
const { inPage: redact } = redactionOf(ACCESS);
const stars = (text: string): string => '*'.repeat(text.length);

describe('credentials are masked in everything reported', () => {
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
    's\\:abc\\/DEF\\+ghi\\=\\=',
  ];
  for (const spelling of spellings) {
    test(spelling, () => {
      assert.equal(redact(`<p title="${spelling}">`), `<p title="${stars(spelling)}">`);
      assert.equal(redact(`${spelling}${spelling}`), stars(`${spelling}${spelling}`));
    });
  }

  test('also short ones, as values of fields', () => {
    const steps = [
      { fill: '#code', secret: '123' },
      { fill: '#word', secret: `a"<b` },
      { fill: '#password', secret: 'hunter2-hunter2' },
    ];
    const { inPage, inMessage } = redactionOf({ journeys: [{ name: 'Pay', steps }] });
    assert.equal(
      inPage('<p class="123">123 <input value="123"><input value=123>'),
      '<p class="123">123 <input value="***"><input value=***>',
    );
    assert.equal(
      inPage('<input value="a&quot;<b"> [value="\\31 23"] {"html":"value=\\"123\\""} value="1234"'),
      '<input value="*********"> [value="******"] {"html":"value=\\"***\\""} value="1234"',
    );
    assert.equal(inMessage('Bad: <input value="123">'), 'Bad: <input value="***">');
    // Next to another secret, outside of quotation marks.
    assert.equal(inMessage('value=123 near “hunter2-hunter2”'), 'value=*** near “***************”');
  });

  test('when they are added later', () => {
    const redaction = createGrowingRedaction(NO_ACCESS);
    assert.equal(redaction.isEmpty(), true);
    for (const value of ['first%2B4567/x', 'second%2B4567/x']) {
      redaction.add([value]);
      assert.equal(
        redaction.inPage(`<p>${value} ${decodeURIComponent(value)}`),
        `<p>${stars(value)} ${'*'.repeat(value.length - 2)}`,
      );
    }
    assert.equal(redaction.inPage('first%2B4567/x'), stars('first%2B4567/x'));
  });

  test('where they are truncated', () => {
    const [start, end] = ['L'.repeat(10), 'R'.repeat(10)];
    assert.equal(redact(`value="${start}`), `value="${stars(start)}`);
    assert.equal(redact(`${end}">`), `${stars(end)}">`);
    assert.equal(redact(`"${start}..."`), `"${stars(start)}..."`);
    assert.equal(redact(`"${start}…${end}"`), `"${stars(start)}…${stars(end)}"`);
    assert.equal(redact(`a[href$="${'R'.repeat(20)}"]`), `a[href$="${'*'.repeat(20)}"]`);
    assert.equal(redact(`preview-or-not, ${start}-`), `preview-or-not, ${start}-`);
  });

  test('in an Authorization header of another scheme, token and password', () => {
    const basic = `Basic ${Buffer.from('me:pass:word-2').toString('base64')}`;
    const { inPage } = redactionOf({ headers: { authorization: basic, 'x-token': 'Bearer abcdefg8' } });
    assert.equal(
      inPage(`${basic.slice(6)} pass:word-2 abcdefg8 me`),
      `${stars(basic.slice(6))} *********** ******** me`,
    );
  });

  test('as selectors escape them', () => {
    const { inPage } = redactionOf({ cookies: { a: '1b+cd2/ef3', b: '-2nd.key\tof' } });
    const names = [
      ['#', '\\31 b\\+cd2\\/ef3'],
      ['#a', '1b\\+cd2\\/ef3'],
      ['#', '-\\32 nd\\.key\\9 of'],
    ] as const;
    for (const [before, name] of names) assert.equal(inPage(`${before}${name}`), `${before}${stars(name)}`);
  });
});

test('words are not masked, nor values that may be words, except the password', () => {
  const words = ['disabled', 'necessary', 'REQUIRED', 'Preview Mode', '2026-11-21'];
  assert.equal(
    createRedaction({
      ...NO_ACCESS,
      cookies: Object.fromEntries(words.entries()),
      headers: { 'x-mode': 'not%20set%20yet' },
    }),
    null,
  );
  assert.equal(createRedaction(NO_ACCESS), null);
  const text = 'The dark theme of staff is short: theme, session, Basic.';
  assert.equal(redact(text), text);
  const hidden = ['sessionKey', 'ABCdefgh', 'abcdefg8', 'sixteenletterss!'];
  for (const value of hidden) assert.equal(redactionOf({ cookies: { value } }).inPage(value), stars(value));
});

describe('of a check', () => {
  const secret = 'preview-of-tomorrow';
  const redaction = redactionOf({ headers: { 'x-a': secret }, basicAuth: { username: '', password: 'required' } });
  const issue = { subType: null, ruleId: null, helpUrl: null, impact: null, howMany: 1, url: secret };

  test('words of the engine are not masked, and quotes are', () => {
    const message = 'Element “head” is missing a required instance of child element “title”.';
    const messages = [`${message} “required”`, `Duplicate ID “${secret}”.`, `“a”${secret}” of required`];
    const raw = { messages: messages.map((text) => ({ type: 'error', message: text, extract: `<a id=${secret}>` })) };
    const issues = keptIssues(interpretVnuOutput(raw, 'http://x/'), HTML.texts, redaction);
    assert.deepEqual(
      issues.map((found) => found.message),
      [`${message} “********”`, `Duplicate ID “${stars(secret)}”.`, `“a”${stars(secret)}” of required`],
    );
    assert.deepEqual(
      issues.map(({ tags }) => tags),
      interpretVnuOutput(raw, 'http://x/').map(({ tags }) => tags),
    );
    assert.match(JSON.stringify(issues[0]?.occurrences), /^\[\{"extract":"<a id=\*{19}>"/);
  });

  test('kinds that differ only in masked secrets become one', () => {
    const headers = { 'x-a': 'preview-of-tomorrow', 'x-b': 'preview-of-thursday' };
    const named = Object.values(headers).map((id): FoundIssue => {
      const occurrences = [{ extract: `<a id=${id}>` }];
      return { ...issue, type: 'error', tags: ['id'], message: `Duplicate ID “${id}”.`, occurrences };
    });
    const [merged, ...others] = keptIssues(named, HTML.texts, redactionOf({ headers }));
    assert.deepEqual(others, []);
    const extract = `<a id=${stars(secret)}>`;
    assert.deepEqual([merged?.howMany, merged?.occurrences], [2, [{ extract }, { extract }]]);
  });

  test('raw checks keep rules, impacts, names and URLs', () => {
    const node = { impact: 'required', html: secret, target: [[`#${secret}`]], failureSummary: `required: "required"` };
    const raw = { url: secret, violations: [{ id: 'required', help: 'required', tags: ['required'], nodes: [node] }] };
    const hidden = redactRawCheck({ json: JSON.stringify(raw), omitted: 1 }, A11Y.texts, redaction);
    const told = {
      ...{ impact: 'required', html: stars(secret), target: [[`#${stars(secret)}`]] },
      failureSummary: 'required: "********"',
    };
    const rule = { id: 'required', help: 'required', tags: ['required'], nodes: [told] };
    assert.deepEqual([JSON.parse(hidden.json), hidden.omitted], [{ url: secret, violations: [rule] }, 1]);
  });
});

test('a text that an engine does not declare counts as the page’s', () => {
  const secret = 'preview-of-tomorrow';
  const redaction = redactionOf({ headers: { 'x-a': secret } });
  const fields = { note: 'engine', said: 'sentence' } as const;
  const raw = { seen: { deep: [`a ${secret}`] }, note: { seen: secret }, said: `“${secret}”` };
  const { json } = redactRawCheck({ json: JSON.stringify(raw), omitted: 0 }, { message: 'page', fields }, redaction);
  assert.deepEqual(JSON.parse(json), {
    seen: { deep: [`a ${stars(secret)}`] },
    note: { seen: secret },
    said: `“${stars(secret)}”`,
  });
});

test('every text keeps its length, and no secret is left in it', () => {
  const part = fc.oneof(fc.constantFrom('a', '%', '"', '&', '\\', ' ', 'é', '…'), fc.string({ maxLength: 3 }));
  const secret = fc.array(part, { minLength: 8, maxLength: 20 }).map((parts) => parts.join('').trim());
  fc.assert(
    fc.property(secret, fc.array(fc.oneof(part, fc.constant(null))), (value, parts) => {
      fc.pre(value.length >= 8);
      const { inPage: hide } = redactionOf({ basicAuth: { username: '', password: value } });
      const text = parts.map((found) => found ?? value).join('');
      const hidden = hide(text);
      assert.equal(hidden.length, text.length);
      if (!/^\*+$/.test(value)) assert.ok(!hidden.includes(value));
      assert.equal(hide(hidden), hidden);
    }),
  );
});
