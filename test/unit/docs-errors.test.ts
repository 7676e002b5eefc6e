import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { answerTo, internalErrorAnswer, meaningOf } from '../../src/api/jsonapi/errors.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/platform/errors.ts';

const text = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\| `(\w+)` \| (?:(\d{3}) \| ([^|]+) \|)?/gm)].map(([, code, status, when = '']) => ({
  code,
  status,
  when,
}));

test('docs/errors.md lists every code, once, and no other', () => {
  assert.deepEqual(rows.map(({ code }) => code).sort(), [...ERROR_CODES].sort());
});

test('docs/errors.md tells the HTTP statuses that are sent, and when, and only of codes that are sent', () => {
  const statusOf = (code: ErrorCode) =>
    code === 'internal' ? internalErrorAnswer('id').status : answerTo(new AppError(code, 'message'))?.status;
  const documented = Object.fromEntries(rows.map(({ code, status }) => [code, status]));
  for (const code of ERROR_CODES) assert.equal(documented[code], statusOf(code)?.toString(), code);
  for (const code of ERROR_CODES) assert.equal(rows.find((row) => row.code === code)?.when, meaningOf(code), code);
});
