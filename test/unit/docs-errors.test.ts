import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { answerTo, internalErrorAnswer, meaningOf } from '../../src/api/jsonapi/errors.ts';
import { FAILURES, sentenceOf } from '../../src/domain/failures/failure.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/platform/errors.ts';

const whole = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const [text = '', failures = ''] = whole.split('\n## Failures of reports\n');
const rows = [...text.matchAll(/^\| `(\w+)` \| (?:(\d{3}) \| ([^|]+) \|)?/gm)].map(([, code, status, when = '']) => ({
  code,
  status,
  when,
}));

test('docs/errors.md lists every code once, and no others', () => {
  assert.deepEqual(rows.map(({ code }) => code).sort(), [...ERROR_CODES].sort());
});

test('docs/errors.md has the HTTP statuses and conditions of all codes that the API sends', () => {
  const statusOf = (code: ErrorCode) =>
    code === 'internal' ? internalErrorAnswer('id').status : answerTo(new AppError(code, 'message'))?.status;
  const documented = Object.fromEntries(rows.map(({ code, status }) => [code, status]));
  for (const code of ERROR_CODES) assert.equal(documented[code], statusOf(code)?.toString(), code);
  for (const code of ERROR_CODES) assert.equal(rows.find((row) => row.code === code)?.when, meaningOf(code), code);
});

/** A value for every parameter that a failure has. */
const PARAMS = {
  ...{
    status: 401,
    seconds: 30,
    mebibytes: 10,
    port: 25,
    max: 10,
    line: 12,
    urls: 40,
    not_read: 3,
    characters: 5_000_000,
  },
  ...{ times: 3, more: 0, is_name: true, is_rendered: false, work: 'check', payer: 'account' },
  ...{
    named_by: 'robots_txt',

    host: 'example.com',
    url: 'https://example.com/a',
    text: '(its message)',
  },
  ...{ content_type: 'image/png', waiting_for: 'https://example.com/slow.js', names: ['headers', 'cookies'] },
  why: { code: 'error_status', params: { status: 503 } },
  sitemaps: [
    { url: 'https://example.com/map.xml', why: { code: 'sitemap_xml_broken', params: { line: 12, urls: 40 } } },
  ],
  failures: [
    { code: 'sitemap_without_pages', params: {} },
    { code: 'start_sitemap_incomplete', params: { why: { code: 'sitemap_gzip_broken', params: { urls: 40 } } } },
  ],
};

test('docs/errors.md lists every failure with an example of its sentence, and no others', () => {
  const documented = failures.split('\n').filter((line) => line.startsWith('| `'));
  const expected = Object.keys(FAILURES).map((code) => `| \`${code}\` | ${sentenceOf({ code, params: PARAMS })} |`);
  assert.deepEqual(documented, expected);
});
