import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, cut, plainLine, widthOf, wrap } from '../../src/commands/text-layout.ts';

test('lines break between words, and long words stay whole', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('one two three', 7, 3), ['one', 'two', 'three']);
  assert.deepEqual(wrap('see http://example.com/ there', 8), ['see', 'http://example.com/', 'there']);
  assert.deepEqual(wrap('one two', Number.POSITIVE_INFINITY), ['one two']);
  assert.deepEqual(wrap('', 5), ['']);
});

test('wide characters count twice, combining marks and colours not at all', () => {
  assert.equal(widthOf('漢字'), 4);
  assert.equal(widthOf('e\u0301'), 1);
  assert.equal(widthOf('\x1b[31mred\x1b[39m'), 3);
  assert.deepEqual(wrap('漢字 漢字', 8), ['漢字', '漢字']);
  assert.equal(cut('漢字漢字', 6), '漢字…');
  assert.equal(cut('four', 4), 'four');
});

test('a site cannot control the terminal', () => {
  assert.equal(plainLine(' a\n\tb\x1b[31m\u202ec\u0007 '), 'a b [31m c');
});

test('only terminals have a width', () => {
  assert.equal(columnsOf({ columns: 20 }), Number.POSITIVE_INFINITY);
  assert.equal(columnsOf({ isTTY: true, columns: 20 }), 20);
  assert.equal(columnsOf({ isTTY: true, columns: 0 }), 80);
});
