import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FALLBACK_TAG, HTML_TAGS, tagsOf } from '../../src/checks/html/interpret.ts';

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

test('values from the page do not tag a message', () => {
  const tags = tagsOf(
    'Bad value “aria heading table SVG” for attribute “id” on element “p”: An ID must not contain whitespace.',
  );
  assert.deepEqual(tags, ['attribute', 'bad value', 'element', 'id']);
});

test('a message of an unknown kind is tagged “other”', () => {
  assert.deepEqual(tagsOf('Something quite new.'), [FALLBACK_TAG]);
});

test('docs/html-tags.md has exactly the tags of the code', () => {
  const text = readFileSync(new URL('../../docs/html-tags.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map((match) => match[1]);
  assert.deepEqual(documented, HTML_TAGS);
});

/** One example of every kind of message from the websites in packages, with its tags. */
const CORPUS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../fixtures/html-message-tags.json', import.meta.url), 'utf8'),
);
/** Tags that fit any message with an element or an attribute. */
const BROAD = [FALLBACK_TAG, 'attribute', 'element'];

test('every kind of message in the corpora has tags more specific than “attribute” or “element”', () => {
  for (const [message, expected] of Object.entries(CORPUS)) {
    const tags = tagsOf(message);
    assert.equal(tags.join(', '), expected, message);
    assert.ok(
      tags.some((tag) => !BROAD.includes(tag)),
      message,
    );
  }
});

/** Changes that a new version of the validator may make to its messages. */
const REWORDINGS: Readonly<Record<string, (message: string) => string>> = {
  'straight quotation marks': (message) => (message.includes('"') ? message : message.replace(/[“”]/g, '"')),
  'small letters': (message) => message.toLowerCase(),
  'capital letters': (message) =>
    message.replace(/“[^”]*”|[^“]+/g, (part) => (/^“/.test(part) ? part : part.toUpperCase())),
  'wide spaces': (message) => message.replaceAll(' ', '\u00a0 '),
  'line breaks': (message) => `\n${message.replaceAll(' ', '\n')}\n`,
  'no full stop': (message) => message.replace(/\.$/, ''),
  'no article': (message) => message.replace(/^(?:The|An?) /, ''),
  'other words': (message) =>
    message
      .replace(/(^|”)[^“]+/g, (part) => part.replace('must not', 'may not').replace('allowed', 'permitted'))
      .replace('obsolete.', 'deprecated.')
      .replace(/^Bad value/, 'Invalid value'),
};

for (const [name, reword] of Object.entries(REWORDINGS)) {
  test(`messages keep their tags when they are reworded: ${name}`, () => {
    for (const message of Object.keys(CORPUS)) {
      const reworded = reword(message);
      assert.deepEqual(tagsOf(reworded), tagsOf(message), reworded);
    }
  });
}

const REWORDED: readonly (readonly [message: string, reworded: string])[] = [
  ['Duplicate attribute “class”.', 'Attribute “class” is duplicated.'],
  ['Duplicate ID “a”.', 'The duplicate ID “a” was found.'],
  ['The “center” element is obsolete.', 'Element “center” is deprecated.'],
  ['The “align” attribute on the “td” element is obsolete.', 'Attribute “align” on element “td” is now obsolete.'],
  ['Attribute “x” not allowed on element “a” at this point.', 'The “x” attribute is not allowed on element “a” here.'],
  ['Attribute “x” not allowed on element “a” at this point.', 'Attribute “x” is forbidden on the “a” element.'],
  ['Element “img” is missing required attribute “src”.', 'The “img” element lacks the required attribute “src”.'],
  ['Element “div” not allowed as child of element “p”.', 'Element “div” isn’t allowed as a child of element “p”.'],
  ['Unclosed element “ul”.', 'The “ul” element was never closed.'],
  ['Stray end tag “p”.', 'The closing tag “p” is stray.'],
  ['Bad value “a b” for attribute “id” on element “p”.', 'The “id” attribute of element “p” has the bad value “a b”.'],
  ['Text not allowed in element “ul” in this context.', 'Text is not allowed in element “ul”.'],
];

for (const [message, reworded] of REWORDED) {
  test(`same tags: ${message} ${reworded}`, () => assert.deepEqual(tagsOf(reworded), tagsOf(message)));
}
