import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsFor, confirmed } from '../../src/spider/fetch-page.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

const MODIFIED = 'Thu, 01 Jan 2026 00:00:00 GMT';
const SOON = 'Thu, 01 Jan 2026 00:00:01 GMT';

function known(headers: Pairs, httpStatus = 200) {
  return { httpStatus, headers };
}

test("a document is requested again with its server's validators", () => {
  const cases: readonly (readonly [headers: Pairs, conditions: object])[] = [
    [[['etag', '"a"']], { 'if-none-match': '"a"' }],
    [[['etag', ' W/"\u00e9!" ']], { 'if-none-match': 'W/"\u00e9!"' }],
    [
      [
        ['date', SOON],
        ['last-modified', MODIFIED],
      ],
      { 'if-modified-since': MODIFIED },
    ],
    [
      [
        ['etag', '""'],
        ['last-modified', MODIFIED],
        ['date', SOON],
      ],
      { 'if-none-match': '""', 'if-modified-since': MODIFIED },
    ],
    [[], {}],
    [[['etag', 'a']], {}],
    [[['etag', 'w/"a"']], {}],
    [[['etag', '"a" "b"']], {}],
    [[['etag', '"\uFFFD"']], {}],
    [
      [
        ['etag', '"a"'],
        ['etag', '"b"'],
      ],
      {},
    ],
    [[['last-modified', MODIFIED]], {}],
    [
      [
        ['date', MODIFIED],
        ['last-modified', MODIFIED],
      ],
      {},
    ],
    [
      [
        ['date', SOON],
        ['last-modified', 'yesterday'],
      ],
      {},
    ],
  ];
  for (const [headers, conditions] of cases) {
    assert.deepEqual(conditionsFor(known(headers)), conditions, JSON.stringify(headers));
  }
  assert.deepEqual(conditionsFor(known([['etag', '"a"']], 203)), {});
});

test('an unchanged document has the headers of its last response, except headers of its body', () => {
  const before: Pairs = [
    ['content-type', 'text/html; charset=iso-8859-1'],
    ['content-encoding', 'gzip'],
    ['etag', '"a"'],
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['content-security-policy', "default-src 'none'"],
  ];
  const after = confirmed(before, [
    ['content-type', 'text/html'],
    ['content-length', '0'],
    ['connection', 'close'],
    ['etag', 'W/"a"'],
    ['set-cookie', 'c=3'],
    ['date', SOON],
  ]);
  assert.deepEqual(after, [
    ['content-type', 'text/html; charset=iso-8859-1'],
    ['content-encoding', 'gzip'],
    ['etag', '"a"'],
    ['content-security-policy', "default-src 'none'"],
    ['set-cookie', 'c=3'],
    ['date', SOON],
  ]);
});
