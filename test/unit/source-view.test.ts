import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countLines, linesOf } from '../../src/page-source/source-lines.ts';
import { findInSource, foundMax, piecesOf, sourceLines } from '../../web/src/lib/source-lines.ts';
import { startTagRange, validatorRange } from '../../web/src/lib/source-occurrences.ts';
import { rowMaxColumns, sourceRows } from '../../web/src/lib/source-rows.ts';
import { randomFrom } from '../helpers/random.ts';

const CHARACTERS = ['a', '\t', '\n', '\r', '\r\n', '\f', '\u2028', '字', '\u{1f600}', '<', '>'];

function randomText(seed: number): string {
  const random = randomFrom(seed);
  return Array.from({ length: 60 }, () => CHARACTERS[Math.floor(random() * CHARACTERS.length)]).join('');
}

describe('lines of the source', () => {
  it('match the lines of the service, which match the lines of the validator', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const text = randomText(seed);
      const [ours, theirs] = [sourceLines(text), linesOf(text)];
      assert.equal(ours.count, countLines(text));
      for (let line = 1; line <= ours.count; line += 1) {
        assert.equal(ours.startOf(line), theirs.offsetOf({ line, column: 1 }));
        const { from, to } = ours.rangeOf(line);
        assert.match(text.slice(from, to), /^[^\r\n]*$/);
        assert.match(text.slice(to, ours.startOf(line + 1)), line < ours.count ? /^(?:\r\n|\r|\n)$/ : /^$/);
      }
      for (let at = 0; at <= text.length; at += 1) assert.equal(ours.lineAt(at), theirs.locationOf(at).line);
    }
  });

  it('have rows that together are the whole text, each no wider than the view', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const text = randomText(seed).replaceAll('\n', 'b');
      const lines = sourceLines(text);
      const rows = sourceRows(lines, 8);
      assert.ok(!rows.isCut);
      let shown = '';
      for (let row = 0; row < rows.count; row += 1) {
        const { from, to } = rows.rangeOf(row);
        const part = text.slice(from, to);
        assert.ok(part.isWellFormed(), 'surrogates stay together');
        assert.ok(part.replaceAll('字', 'xx').replaceAll('\u{1f600}', 'xx').length <= 8, JSON.stringify(part));
        for (let at = from; at < to; at += 1) assert.equal(rows.rowAt(at), row);
        shown += part;
      }
      assert.equal(shown, text.replaceAll(/[\r\n]/g, ''));
    }
  });

  it('are divided into rows if they are very long, also if they are not wrapped', () => {
    const rows = sourceRows(sourceLines(`x\n${'a'.repeat(rowMaxColumns * 2 + 1)}\n`), Number.POSITIVE_INFINITY);
    assert.equal(rows.count, 5);
    assert.deepEqual(rows.rangeOf(3), { from: 2 + rowMaxColumns * 2, to: 3 + rowMaxColumns * 2 });
  });

  it('are cut where there are too many to be drawn', () => {
    const rows = sourceRows(sourceLines('\n'.repeat(700_000)), 80);
    assert.equal(rows.count, 600_000);
    assert.ok(rows.isCut);
  });
});

describe('ranges in the source', () => {
  const textAt = (text: string, range: { readonly from: number; readonly to: number } | null) =>
    range === null ? null : text.slice(range.from, range.to);

  it('go back as far as the validator highlights, over any line end', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `<p>${end}${end}<p title="a${end}b">`;
      const occurrence = {
        extract: '<p>\n\n<p title="a\nb">',
        coordinates: {
          first_line: 2,
          last_line: 4,
          first_column: null,
          last_column: 3,
          hilite_start: 5,
          hilite_length: 15,
        },
      };
      assert.equal(textAt(text, validatorRange(sourceLines(text), occurrence)), `<p title="a${end}b">`);
    }
  });

  it('follow the coordinates if the highlighted part is another, and stay in the document', () => {
    const lines = sourceLines('<p>\n<p id="x">');
    const coordinates = { first_line: 2, last_line: 2, last_column: 10, hilite_start: 0, hilite_length: 1 };
    const at = (first_column: number | null, last_column = 10) =>
      textAt(
        lines.text,
        validatorRange(lines, { extract: '?', coordinates: { ...coordinates, first_column, last_column } }),
      );
    assert.equal(at(4), 'id="x">'.slice(0, 7));
    assert.equal(at(null), '<p id="x">');
    assert.equal(at(4, 999), 'id="x">');
    const whole = { ...coordinates, first_column: null, first_line: 0, last_line: 0, last_column: 0 };
    assert.equal(validatorRange(lines, { extract: '', coordinates: whole }), null);
    assert.equal(validatorRange(lines, { extract: '', coordinates: { ...whole, last_line: 9 } }), null);
  });

  it('of elements are their start tags', () => {
    const lines = sourceLines('<main>\n  <a title="a > b" href=x>y</a>\n<p it\'s>z<b');
    assert.equal(textAt(lines.text, startTagRange(lines, 2, 3)), '<a title="a > b" href=x>');
    assert.equal(textAt(lines.text, startTagRange(lines, 3, 1)), "<p it's>");
    assert.equal(textAt(lines.text, startTagRange(lines, 3, 10)), '<b');
    assert.equal(startTagRange(lines, 4, 1), null);
  });

  it('cut a row where they begin and end, and may overlap', () => {
    const pieces = piecesOf({ from: 10, to: 20 }, [
      { from: 0, to: 12 },
      { from: 11, to: 15 },
      { from: 20, to: 25 },
    ]);
    assert.deepEqual(
      pieces.map(({ from, to, marks }) => [from, to, marks.length]),
      [
        [10, 11, 1],
        [11, 12, 2],
        [12, 15, 1],
        [15, 20, 0],
      ],
    );
    assert.deepEqual(piecesOf({ from: 4, to: 4 }, []), []);
  });
});

describe('finding in the source', () => {
  it('takes every character literally, and ignores case', () => {
    const found = (text: string) =>
      findInSource('İ <A href="?a=.*">a.c</A> [x] a/b', text).map(({ from, to }) => [from, to]);
    assert.deepEqual(found('A.C'), [[18, 21]]);
    assert.deepEqual(found('.*'), [[14, 16]]);
    assert.deepEqual(found('[x]'), [[26, 29]]);
    assert.deepEqual(found('a/b'), [[30, 33]]);
    assert.deepEqual(found('\\'), []);
    assert.deepEqual(found(''), []);
  });

  it('ends at a number of occurrences that can be shown', () => {
    assert.equal(findInSource('a'.repeat(foundMax * 2), 'a').length, foundMax);
  });
});
