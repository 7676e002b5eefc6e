import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { siteAccessAttributes } from '../../src/commands/site-access-options.ts';
import { AppError } from '../../src/platform/errors.ts';

/** Site credentials on the command line. */

const directory = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
after(() => rmSync(directory, { recursive: true }));
const file = (content: string): string => {
  const path = join(directory, 'secret');
  writeFileSync(path, content);
  return `@${path}`;
};

test('no options mean no credentials', () => {
  assert.deepEqual(siteAccessAttributes({ header: [], cookie: [] }), { basic_auth: null, headers: {}, cookies: {} });
});

test("values are parsed like curl's, from the command line and from files", () => {
  const attributes = siteAccessAttributes({
    basicAuth: file('user:pass:word \n'),
    header: ['X-A: 1:2', 'X-B:3'],
    cookie: ['a=1=2; b=', 'c=3'],
  });
  assert.deepEqual(attributes, {
    basic_auth: { username: 'user', password: 'pass:word ' },
    headers: { 'X-A': '1:2', 'X-B': '3' },
    cookies: { a: '1=2', b: '', c: '3' },
  });
  const { headers } = siteAccessAttributes({ header: [file('X-A: 1\r\n\r\nX-B: 2\r\n')], cookie: [] });
  assert.deepEqual(headers, { 'X-A': '1', 'X-B': '2' });
});

test('invalid values are rejected without being repeated', () => {
  const cases = [
    { basicAuth: 'secret', header: [], cookie: [] },
    { basicAuth: '@/nowhere/at-all', header: [], cookie: [] },
    { header: ['secret'], cookie: [] },
    { header: [': secret'], cookie: [] },
    { header: ['X-A: secret', 'X-A: secret'], cookie: [] },
    { header: [], cookie: ['secret'] },
  ];
  for (const options of cases) {
    assert.throws(
      () => siteAccessAttributes(options),
      (error) => error instanceof AppError && error.code === 'invalid_usage' && !error.message.includes('secret'),
      JSON.stringify(options),
    );
  }
});
