import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeUrl, pairsOf, settingsOf } from '../../web/src/lib/report-settings.ts';

test('a host that is typed without a scheme gets one, and everything else stays', () => {
  assert.equal(completeUrl(' bakery.example '), 'https://bakery.example');
  assert.equal(completeUrl('bakery.example:8443/shop?page=2'), 'https://bakery.example:8443/shop?page=2');
  assert.equal(completeUrl('bäckerei.example'), 'https://bäckerei.example');
  assert.equal(completeUrl('localhost:8080'), 'http://localhost:8080');
  assert.equal(completeUrl('127.0.0.1:8080/a'), 'http://127.0.0.1:8080/a');
  for (const text of [
    'https://bakery.example/',
    'ftp://bakery.example',
    'bakery',
    'htp:/bakery.example',
    'a b.example',
    '',
  ]) {
    assert.equal(completeUrl(text), text);
  }
});

test('names and values are read from lines, and cookies from a header', () => {
  assert.deepEqual(pairsOf('X-Preview: a:b\n\n X-Stage :2 ', ':'), {
    pairs: { 'X-Preview': 'a:b', 'X-Stage': '2' },
    wrong: null,
  });
  assert.deepEqual(pairsOf('session=0123=; theme=dark', '='), {
    pairs: { session: '0123=', theme: 'dark' },
    wrong: null,
  });
  assert.equal(pairsOf('X-Preview', ':').wrong, 'X-Preview');
  assert.equal(pairsOf('a=1\na=2', '=').wrong, 'a=2');
  assert.deepEqual(Object.keys(pairsOf('__proto__=1', '=').pairs), ['__proto__']);
});

test('the settings of a report make another one, without what only the report has', () => {
  const report = {
    id: '0198',
    starting_url: 'https://bakery.example/',
    perform_html_checks: true,
    tags: ['shop'],
    status: 'finished',
    signs_in: true,
    related: { device: '/devices/0198d' },
  };
  assert.deepEqual(settingsOf(report), {
    starting_url: 'https://bakery.example/',
    tags: ['shop'],
    perform_html_checks: true,
    device_id: '0198d',
  });
  assert.equal(settingsOf({ starting_url: '', related: {} }).device_id, 'default');
});
