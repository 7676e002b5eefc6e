import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alsoFixedMax, numberedWords, withoutNumbers } from '../../packages/client/causes.ts';
import { alsoFixedWords } from '../../src/checks/registry.ts';
import type { CheckKind } from '../../src/domain/check.ts';

/** The words for what one edit fixes. */

describe('a message without numbers', () => {
  it('has none in names', () => {
    assert.equal(withoutNumbers('Duplicate ID “item-12”.'), 'Duplicate ID “item-*”.');
    assert.equal(withoutNumbers('The "headers" refer to "c1:2", but'), 'The "headers" refer to "c*:*", but');
  });

  it('keeps all others, such as headings and values', () => {
    for (const message of [
      'The heading “h5” (with computed level 5) follows the heading “h3” (with computed level 3).',
      'Bad value “100%” for attribute “width” on element “img”.',
      'CSS: “width”: “10pxx 3” is not a “width” value.',
      'Bad value “http://example.com/1 2” for attribute “href”.',
    ])
      assert.equal(withoutNumbers(message), message);
  });
});

describe('what else an edit fixes', () => {
  const words = (kind: CheckKind, message: string, also: readonly (readonly [CheckKind, string])[]): string =>
    alsoFixedWords({ kind, message, also: also.map(([other, text]) => ({ kind: other, message: text })) });

  it('is named by check, by message, or by number', () => {
    assert.equal(words('html', 'A', []), '');
    assert.equal(
      words('a11y', 'Images', [
        ['html', 'An “img”'],
        ['a11y', 'Links'],
      ]),
      ', also found by the HTML check, also fixes “Links”',
    );
    const ids = (count: number) =>
      Array.from({ length: count }, (_, at) => ['html', `Duplicate ID “a${at}”.`] as const);
    assert.equal(
      words('html', 'Duplicate ID “a99”.', ids(1)),
      ', also fixes 1 more message that differs only in numbers',
    );
    assert.equal(words('html', 'Duplicate ID “a99”.', ids(3)), `, also fixes ${numberedWords(3)}`);
    assert.match(numberedWords(alsoFixedMax), /^at least 50 more messages/);
    assert.equal(
      words('a11y', 'A', [
        ['a11y', 'B'],
        ['a11y', 'C'],
        ['a11y', 'D'],
      ]),
      ', also fixes 3 other issue types',
    );
  });
});
