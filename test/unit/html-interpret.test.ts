import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { interpretVnuOutput } from '../../src/checks/html/interpret.ts';
import { HTML_TAGS, tagsOf } from '../../src/checks/html/tags.ts';
import type { VnuMessage } from '../../src/checks/html/vnu-output.ts';
import { vnuRequest } from '../../src/checks/html/vnu-request.ts';

const PAGE = 'https://example.org/page';

const place = { lastLine: 7, lastColumn: 20, firstColumn: 3, extract: '<p id=x>', hiliteStart: 2, hiliteLength: 5 };

function interpret(...messages: VnuMessage[]) {
  return interpretVnuOutput({ messages }, PAGE);
}

test('an error, a warning and an information become issues of the contract', () => {
  const issues = interpret(
    { type: 'error', message: 'Duplicate ID “x”.', ...place },
    { type: 'info', subType: 'warning', message: 'Empty heading.', ...place },
    { type: 'info', message: 'Trailing slash on void elements has no effect.', ...place },
    { type: 'error', subType: 'fatal', message: 'Cannot recover after last error.', ...place },
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

test('occurrences of one kind are joined, in document order and in the order of the first ones', () => {
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

test('a message about the document as a whole has no place', () => {
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

const TAGGED: readonly (readonly [message: string, tags: readonly string[]])[] = [
  ['Duplicate attribute “class”.', ['duplicate attribute', 'attribute']],
  ['The “center” element is obsolete. Use CSS instead.', ['obsolete element', 'css', 'element']],
  ['The “align” attribute on the “td” element is obsolete. Use CSS instead.', ['obsolete attribute', 'table', 'css']],
  ['Attribute “aria-foo” not allowed on element “p” at this point.', ['aria', 'disallowed attribute']],
  ['CSS: “colr”: Property “colr” doesn’t exist.', ['css']],
  [
    'The heading “A table” (with computed level 3) follows the heading “b” (with computed level 1), skipping 1 heading level.',
    ['heading'],
  ],
  ['Table column 2 established by element “td” has no cells beginning in it.', ['table']],
  ['An “img” element must have an “alt” attribute, except under certain conditions.', ['image', 'missing attribute']],
  [
    'The value of the “for” attribute of the “label” element must be the ID of a non-hidden form control.',
    ['label', 'form', 'id'],
  ],
  ['Element “div” not allowed as child of element “span” in this context.', ['nesting', 'element']],
  ['Stray end tag “div”.', ['stray tag', 'end tag']],
  ['Unclosed element “div”.', ['unclosed element']],
  [
    'Bad value “a b” for attribute “href” on element “a”: Illegal character in path segment.',
    ['bad value', 'url', 'link'],
  ],
  ['The character encoding was not declared. Proceeding using “windows-1252”.', ['character encoding']],
  ['Start tag seen without seeing a doctype first. Expected “<!DOCTYPE html>”.', ['doctype', 'document structure']],
  [
    'Consider adding a “lang” attribute to the “html” start tag to declare the language of this document.',
    ['language', 'recommendation'],
  ],
  ['Saw “<” when expecting an attribute name. Probable cause: Missing “>” immediately before.', ['syntax']],
  [
    'Trailing slash on void elements has no effect and interacts badly with unquoted attribute values.',
    ['void element', 'redundant'],
  ],
  ['Cannot recover after last error. Any further errors will be ignored.', ['parsing stopped']],
];

for (const [message, expected] of TAGGED) {
  test(`tags of: ${message}`, () => {
    const tags = tagsOf(message);
    for (const tag of expected) assert.ok(tags.includes(tag), `${tag} is not among ${tags.join(', ')}`);
    assert.deepEqual([...tags].sort(), tags);
    for (const tag of tags) assert.ok(HTML_TAGS.includes(tag), `${tag} is not in the vocabulary`);
  });
}

test('values out of the page do not tag a message', () => {
  const tags = tagsOf(
    'Bad value “aria heading table SVG” for attribute “id” on element “p”: An ID must not contain whitespace.',
  );
  assert.deepEqual(tags, ['attribute', 'bad value', 'element', 'id']);
});

test('a message of an unknown kind is tagged “other”', () => {
  assert.deepEqual(tagsOf('Something quite new.'), ['other']);
});

test('the vocabulary and docs/html-tags.md are the same', () => {
  const text = readFileSync(new URL('../../docs/html-tags.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map((match) => match[1]);
  assert.deepEqual(documented, HTML_TAGS);
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
