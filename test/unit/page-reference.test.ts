import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceTo, resolveReference } from '../../src/issues/baseline-file.ts';

const CASES: readonly (readonly [start: string, url: string, reference: string])[] = [
  ['https://example.com/', 'https://example.com/', './'],
  ['https://example.com/', 'https://example.com/about.html', 'about.html'],
  ['https://example.com/index.html?a=1', 'https://example.com/a/b?c=d&e', 'a/b?c=d&e'],
  ['https://example.com/shop/', 'https://example.com/shop/?page=2', './?page=2'],
  ['https://example.com/shop/', 'https://example.com/', '../'],
  ['https://example.com/shop/new/', 'https://example.com/shop', '../../shop'],
  ['https://example.com/shop/', 'https://example.com/shopping/x', '../shopping/x'],
  // Read as a scheme or an origin if they stood alone.
  ['https://example.com/', 'https://example.com/a:b', './a:b'],
  ['https://example.com/', 'https://example.com//other/x', './/other/x'],
  // Other origins.
  ['https://example.com/', 'http://example.com/', 'http://example.com/'],
  ['https://example.com/', 'https://www.example.com/a', 'https://www.example.com/a'],
];

for (const [start, url, reference] of CASES) {
  test(`${url} is ${reference} from ${start}`, () => {
    assert.equal(referenceTo(url, start), reference);
    assert.equal(resolveReference(reference, start), url);
  });
}

test('a reference leads to the same page of a preview in another folder', () => {
  const reference = referenceTo('https://example.com/docs/guide?page=2', 'https://example.com/docs/');
  assert.equal(resolveReference(reference, 'http://127.0.0.1:8080/pr-12/'), 'http://127.0.0.1:8080/pr-12/guide?page=2');
});

test('a text that is not a URL leads nowhere', () => {
  assert.equal(resolveReference('http://', 'https://example.com/'), null);
});
