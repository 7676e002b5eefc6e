import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interpretVnuOutput } from '../../src/checks/html/interpret.ts';
import { vnuRequest } from '../../src/checks/html/vnu-client.ts';
import type { VnuMessage } from '../../src/checks/html/vnu-output.ts';

const PAGE = 'https://example.org/page';

const occurrence = {
  lastLine: 7,
  lastColumn: 20,
  firstColumn: 3,
  extract: '<p id=x>',
  hiliteStart: 2,
  hiliteLength: 5,
};

function interpret(...messages: VnuMessage[]) {
  return interpretVnuOutput({ messages }, PAGE);
}

test('an error, a warning and an information become issues of the contract', () => {
  const issues = interpret(
    { type: 'error', message: 'Duplicate ID “x”.', ...occurrence },
    { type: 'info', subType: 'warning', message: 'Empty heading.', ...occurrence },
    { type: 'info', message: 'Trailing slash on void elements has no effect.', ...occurrence },
    { type: 'error', subType: 'fatal', message: 'Cannot recover after last error.', ...occurrence },
  );
  assert.deepEqual(
    issues.map(({ type, subType }) => [type, subType]),
    [
      ['error', null],
      ['warning', null],
      ['warning', 'info'],
      ['error', 'fatal'],
    ],
  );
  assert.deepEqual(issues[0], {
    type: 'error',
    subType: null,
    message: 'Duplicate ID “x”.',
    ruleId: null,
    helpUrl: null,
    impact: null,
    tags: ['duplicate id', 'id'],
    url: PAGE,
    howMany: 1,
    occurrences: [
      {
        extract: '<p id=x>',
        coordinates: {
          first_line: 7,
          last_line: 7,
          first_column: 3,
          last_column: 20,
          hilite_start: 2,
          hilite_length: 5,
        },
      },
    ],
  });
});

test('occurrences of one kind are grouped, in document order, by their first one', () => {
  const issues = interpret(
    { type: 'error', message: 'b', lastLine: 1 },
    { type: 'error', message: 'a', lastLine: 2 },
    { type: 'error', message: 'b', firstLine: 3, lastLine: 5 },
    { type: 'info', message: 'b', lastLine: 6 },
    { type: 'info', subType: 'warning', message: 'b', lastLine: 7 },
    { type: 'error', subType: 'fatal', message: 'b', lastLine: 8 },
  );
  assert.deepEqual(
    issues.map(({ type, subType, message, howMany }) => [type, subType, message, howMany]),
    [
      ['error', null, 'b', 2],
      ['error', null, 'a', 1],
      ['warning', 'info', 'b', 1],
      ['warning', null, 'b', 1],
      ['error', 'fatal', 'b', 1],
    ],
  );
  const lines = JSON.parse(JSON.stringify(issues[0]?.occurrences)).map(
    ({ coordinates }: { coordinates: Record<string, unknown> }) => [
      coordinates['first_line'],
      coordinates['last_line'],
      coordinates['first_column'],
    ],
  );
  assert.deepEqual(lines, [
    [1, 1, null],
    [3, 5, null],
  ]);
});

test('a message about the document as a whole has no occurrence', () => {
  const [issue] = interpret({ type: 'error', message: 'The character encoding was not declared.' });
  assert.deepEqual(issue?.occurrences, [
    {
      extract: '',
      coordinates: {
        first_line: 0,
        last_line: 0,
        first_column: null,
        last_column: 0,
        hilite_start: 0,
        hilite_length: 0,
      },
    },
  ]);
});

test('no messages, no issues', () => {
  assert.deepEqual(interpret(), []);
});

const body = Buffer.from('<!DOCTYPE html>');
const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);
const utf16Mark = Buffer.from([0xff, 0xfe]);

const REQUESTS: readonly (readonly [header: string, body: Uint8Array, sent: string])[] = [
  ['text/html', body, 'text/html; charset=utf-8'],
  ['', body, 'text/html; charset=utf-8'],
  ['nonsense', body, 'text/html; charset=utf-8'],
  ['text/plain; charset=iso-8859-1', body, 'text/html; charset=iso-8859-1'],
  ['Text/HTML;Charset="Windows-1252"', body, 'text/html; charset=windows-1252'],
  ['text/html; charset=bogus', body, 'text/html; charset=utf-8'],
  ['text/html; charset=', body, 'text/html; charset=utf-8'],
  ['text/html; charset="a\r\nb"', body, 'text/html; charset=utf-8'],
  ['text/html; charset=windows-1252', utf8Mark, 'text/html; charset=utf-8'],
  ['text/html; charset=utf-8', utf16Mark, 'text/html; charset=utf-16le'],
  ['application/xhtml+xml', body, 'application/xhtml+xml'],
  ['application/xhtml+xml; charset=utf-8', body, 'application/xhtml+xml; charset=utf-8'],
  ['text/xml', body, 'application/xhtml+xml'],
];

for (const [header, bytes, sent] of REQUESTS) {
  test(`the content type ${JSON.stringify(header)} is sent as ${sent}`, () => {
    const request = vnuRequest(header, bytes);
    assert.equal(request.contentType, sent);
    assert.equal(request.path.includes('parser=xml'), sent.startsWith('application/'));
  });
}
