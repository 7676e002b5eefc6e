import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { streamsMax } from '../../src/api/events/limits.ts';
import {
  bodyMaxBytes,
  exportsMax,
  linkRequestsPerMinute,
  sessionRequestsPerMinute,
} from '../../src/api/http/limits.ts';
import { answerTo, errorsMax, internalErrorAnswer, meaningOf } from '../../src/api/jsonapi/errors.ts';
import { PRINT_LIMITS } from '../../src/browser/print-document.ts';
import { FAILURES, sentenceOf } from '../../src/domain/failures/failure.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../../src/platform/errors.ts';
import { FAILURE_EXAMPLES } from '../helpers/failure-examples.ts';

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

test('docs/errors.md lists every failure with an example of its sentence, and no others', () => {
  const documented = failures.split('\n').filter((line) => line.startsWith('| `'));
  const examples = new Map<string, object>(Object.entries(FAILURE_EXAMPLES));
  const expected = Object.keys(FAILURES).map((code) => {
    const params = examples.get(code) ?? assert.fail(code);
    return `| \`${code}\` | ${sentenceOf({ code, params })} |`;
  });
  assert.deepEqual(documented, expected);
});

test('docs/errors.md has the actual limits', () => {
  const exceeded = (code: ErrorCode): string => rows.find((row) => row.code === code)?.when ?? '';
  const limits: readonly (readonly [ErrorCode, string])[] = [
    ['payload_too_large', `larger than ${bodyMaxBytes / 1_048_576} MiB`],
    ['rate_limited', `the share link more than ${linkRequestsPerMinute} per minute`],
    ['rate_limited', `the session more than ${sessionRequestsPerMinute.toLocaleString('en')}.`],
    ['too_many_streams', `${streamsMax} open event streams`],
    ['too_many_exports', `${exportsMax} reports`],
    ['too_large_to_print', `longer than ${PRINT_LIMITS.timeoutMs / 1_000} seconds`],
    ['too_large_to_print', `exceeds ${PRINT_LIMITS.maxBytes / 1_048_576} MiB`],
  ];
  for (const [code, words] of limits) assert.ok(exceeded(code).includes(words), `${code}: ${words}`);
  assert.ok(text.includes(`up to ${errorsMax} errors`));
});
