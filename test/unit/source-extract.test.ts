import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSourceExtract } from '../../src/checks/html/source-extract.ts';
import type { VnuMessage } from '../../src/checks/html/vnu-output.ts';
import { parseSource, type SourceTree } from '../../src/page-source/source-tree.ts';

const TEXT = '<!DOCTYPE html>\r\n<p>\u{1f600}3456789\r\n<br />\r\n12345\u{1f600}</p>';

function settled(message: Partial<VnuMessage>): VnuMessage {
  const tree = parseSource(TEXT);
  assert.ok(tree !== null);
  return withSourceExtract({ type: 'error', message: 'm', ...message }, tree satisfies SourceTree);
}

const BREAK = {
  lastLine: 3,
  lastColumn: 6,
  firstColumn: 1,
  extract: '3456789\n<br />',
  hiliteStart: 8,
  hiliteLength: 6,
};
const SETTLED = {
  ...{ type: 'error', message: 'm', lastLine: 3, lastColumn: 6, firstColumn: 1 },
  ...{ extract: '\u{1f600}3456789\n<br />\n12345', hiliteStart: 10, hiliteLength: 6 },
};

describe('the extract of a message', () => {
  test('is read from the source, with line breaks of one character', () => {
    assert.deepEqual(settled(BREAK), SETTLED);
    assert.deepEqual(settled({ ...BREAK, extract: '\u{1f600}3456789\n<br />\n1', hiliteStart: 10 }), SETTLED);
  });

  test('starts with the tag, also if the range starts with the character before, on another line', () => {
    const early = { ...BREAK, firstLine: 2, firstColumn: 14, extract: '9\n<br />', hiliteStart: 1, hiliteLength: 7 };
    assert.deepEqual(settled(early), SETTLED);
  });

  test('is longer for single characters, and has no half characters', () => {
    const digit = { lastLine: 2, lastColumn: 12, extract: '9', hiliteStart: 0, hiliteLength: 1 };
    assert.deepEqual(settled(digit), {
      ...{ type: 'error', message: 'm', lastLine: 2, lastColumn: 12 },
      ...{ extract: 'ml>\n<p>\u{1f600}3456789\n<br />\n12345', hiliteStart: 15, hiliteLength: 1 },
    });
  });

  test('stays if the highlighted text is not in the source, or there is no range', () => {
    const others = [
      { ...BREAK, hiliteLength: 5 },
      { ...BREAK, extract: '3456789\n<hr />' },
      { ...BREAK, lastLine: 2, lastColumn: 3 },
      { ...BREAK, lastLine: 99 },
      { extract: 'x' },
      { lastLine: 3, lastColumn: 6 },
      {},
    ];
    for (const other of others) assert.deepEqual(settled(other), { type: 'error', message: 'm', ...other });
  });
});
