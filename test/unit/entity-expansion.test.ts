import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expandsTooFar } from '../../src/checks/html/engine.ts';

const page = (subset: string, text: string): string =>
  `<?xml version="1.0"?>\n<!DOCTYPE html [\n${subset}\n]>\n<html xmlns="http://www.w3.org/1999/xhtml"><p>${text}</p></html>`;
const levels = (count: number, kind = ''): string =>
  Array.from({ length: count }, (_, level) => `<!ENTITY ${kind}a${level + 1} "${`&a${level};`.repeat(10)}">`).join(
    '\n',
  );
const isRefused = (text: string): boolean => expandsTooFar(Buffer.from(text));

describe('entities that expand too far are rejected', () => {
  const bomb = `<!ENTITY a0 "lol">\n${levels(9)}`;
  const chain = Array.from({ length: 20_000 }, (_, index) => `<!ENTITY c${index} "&c${index + 1};">`).join('\n');
  const refused: Readonly<Record<string, string>> = {
    'one in another': page(bomb, '&a9;'),
    'in single quotation marks': page(bomb.replaceAll('"', "'"), '&a9;'),
    'in an attribute': page(bomb, '<b title="&a9;"/>'),
    'in reverse order': page(bomb.split('\n').toReversed().join('\n'), '&a9;'),
    'a long one very often': page(`<!ENTITY long "${'x'.repeat(10_000)}">`, '&long;'.repeat(1_000)),
    'an empty one very often': page('<!ENTITY none "">', '&none;'.repeat(100_000)),
    'beside a harmless one of that name in a comment': page(`<!-- <!ENTITY a9 "x"> -->\n${bomb}`, '&a9;'),
    'made by a parameter entity': page(`<!ENTITY % d "<!ENTITY a '&b;'>">%d;`, '&a;'),
    'with a head without end': page(`<!ENTITY ${' '.repeat(5_000)} a "x">`, '&a;'),
    'a chain without end': page(chain, '&c0;'),
  };
  for (const [name, text] of Object.entries(refused)) {
    test(name, () => assert.equal(isRefused(text), true));
  }

  test('in UTF-16', () => {
    assert.equal(expandsTooFar(Buffer.from(`\ufeff${page(bomb, '&a9;')}`, 'utf16le')), true);
    assert.equal(expandsTooFar(Buffer.from(page(bomb, '&a9;'), 'utf16le').swap16()), true);
  });
});

describe('other entities are not', () => {
  const company = '<!ENTITY co "Company &amp; Co"><!ENTITY year "2026 &co;">';
  const taken: Readonly<Record<string, string>> = {
    none: page('', 'a &amp; b'.repeat(100_000)),
    'a few': page(company, '&co; &year; &nbsp;'.repeat(1_000)),
    'unused ones': page(`<!ENTITY a0 "lol">\n${levels(4)}`, 'x'),
    'a circle, of which the validator tells': page('<!ENTITY a "&b;"><!ENTITY b "&a;">', '&a;'),
    'external ones, which nobody fetches': page(
      '<!ENTITY e SYSTEM "http://127.0.0.1/"> <!ENTITY f PUBLIC "x" "y">',
      '&e;',
    ),
    'parameters of modular DTDs': page('<!ENTITY % SVG.prefixed "INCLUDE">', 'x'),
    'one without an end': page('<!ENTITY a "x', 'x').replaceAll('"', "'"),
  };
  for (const [name, text] of Object.entries(taken)) {
    test(name, () => assert.equal(isRefused(text), false));
  }
});
