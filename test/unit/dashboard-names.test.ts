import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHOWN_OUTCOMES } from '../../packages/client/values.ts';
import { browserName } from '../../web/src/lib/browsers.ts';
import { percent, percentages, shortUrl } from '../../web/src/lib/formats.ts';
import { OUTCOME_WORDS, outcomeOf } from '../../web/src/lib/outcomes.ts';
import { ownPath } from '../../web/src/lib/own-path.ts';

test('browsers have the names that people know', () => {
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const named = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Mobile Safari/537.36':
      'Chrome on Android',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36 Edg/153.0.0.0':
      'Edge on Windows',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    [`${mac} Version/17.5 Safari/605.1.15`]: 'Safari on macOS',
    'curl/8.20.0': 'curl/8.20.0',
    [`x${'y'.repeat(500)}`]: `x${'y'.repeat(59)}`,
    '': 'Unknown browser',
  };
  for (const [userAgent, name] of Object.entries(named)) assert.equal(browserName(userAgent), name);
  assert.equal(browserName(null), 'Unknown browser');
});

test('a skipped URL says whether an exclusion or a logout is the reason', () => {
  const shown = (reason: string) => outcomeOf({ outcome: 'excluded', detail_code: reason });
  assert.equal(shown('signs_out'), 'not visited: it would end the session');
  assert.equal(shown('excluded'), 'excluded');
  for (const outcome of SHOWN_OUTCOMES.filter((each) => each !== 'excluded')) {
    assert.equal(outcomeOf({ outcome, detail_code: null }), OUTCOME_WORDS[outcome]);
  }
});

test('a path to continue with never leads to another site', () => {
  for (const path of ['/', '/reports?url=x#a', '/reports//x']) assert.equal(ownPath(path), path);
  for (const path of [
    undefined,
    '',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:1',
    '/\t/evil.example',
    '/\n\\evil.example',
  ]) {
    assert.equal(ownPath(path), '/');
  }
});

test('the path of a short URL is the whole path', () => {
  for (const [url, short] of [
    ['https://bakery.example/', 'bakery.example'],
    ['https://bakery.example/account/', 'bakery.example/account/'],
    ['https://bakery.example/account', 'bakery.example/account'],
    ['http://bakery.example:8080/?from=/', 'bakery.example:8080/?from=/'],
  ] as const)
    assert.equal(shortUrl(url), short);
});

test('percentages of the parts of a whole add up to 100', () => {
  assert.deepEqual(percentages([13, 20]), [39, 61]);
  assert.deepEqual(percentages([1, 1, 1]), [34, 33, 33]);
  assert.deepEqual(percentages([13, 20, 4]), [35, 54, 11]);
  assert.deepEqual(percentages([1, 999]), [1, 99]);
  assert.deepEqual(percentages([1, 1, 9_998]), [1, 1, 98]);
  assert.deepEqual(percentages([1, 7]), [13, 87]);
  assert.deepEqual(percentages([0, 5]), [0, 100]);
  assert.deepEqual(percentages([0, 0]), [0, 0]);
  for (let passed = 0; passed <= 37; passed += 1)
    assert.equal(percent(passed, 37), percentages([passed, 37 - passed])[0]);
  assert.equal(percent(999, 1_000), 99);
  assert.equal(percent(1, 1_000), 1);
});
