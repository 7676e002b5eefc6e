import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interpretCheck } from '../../src/checking/interpret-check.ts';
import type { CheckNote } from '../../src/domain/check-note.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';

/** Issues are split by the selectors of mutings, in bounded time. */

const START = '<!DOCTYPE html><html lang="en"><head><title>t</title></head><body>';

/** Checks a page whose `<b>` elements have an issue. Returns its notes, and counts occurrences by the selectors that match. */
function checked(body: string, mutedSelectors: readonly string[]) {
  const messages = [...body.matchAll(/<b[ >]/g)].map(({ index }) => {
    const column = START.length + index + 1;
    const at = { lastLine: 1, firstLine: 1, firstColumn: column, lastColumn: column + 2 };
    return {
      type: 'error',
      message: 'Element “b” not allowed.',
      extract: '<b>',
      hiliteStart: 0,
      hiliteLength: 3,
      ...at,
    };
  });
  const answer = Buffer.from(JSON.stringify({ messages }));
  const document = { contentType: 'text/html', body: Buffer.from(START + body) };
  const check = { kind: 'html', answer, url: 'http://x/', document, access: NO_ACCESS, storesRaw: false } as const;
  const occurrences: Record<string, number> = {};
  const notes: CheckNote[] = [];
  for (const part of interpretCheck({ ...check, mutedSelectors })) {
    if ('failed' in part) assert.fail(JSON.stringify(part.failed));
    if ('notes' in part) notes.push(...part.notes);
    if (!('issues' in part)) continue;
    for (const { selectors = [], howMany } of part.issues) occurrences[selectors.join(' | ')] = howMany;
  }
  return { notes, occurrences };
}

const siblings = (count: number): string => `<p>${'<b>x</b>'.repeat(count)}</p>`;

describe('the selectors of mutings', () => {
  it('split issues by the elements that they match, and the elements inside them', () => {
    const body = '<div class=a><p><b>x</b></p><p class=b><b id=c>x</b></p></div><p class=b><b>x</b></p><b>x</b>';
    assert.deepEqual(checked(body, ['.b', '.a', 'b:only-child', 'p:nth-child(2) #c', 'b[', ':contains("y")']), {
      notes: [],
      occurrences: {
        '.a | b:only-child': 1,
        '.b | .a | b:only-child | p:nth-child(2) #c': 1,
        '.b | b:only-child': 1,
        '': 1,
      },
    });
  });

  it('match the siblings of an ordinary page', () => {
    const selectors = Array.from({ length: 20 }, (_, index) => `b:nth-child(${index + 1})`);
    const { notes, occurrences } = checked(siblings(1_000), selectors);
    assert.deepEqual(notes, []);
    assert.deepEqual(occurrences, { ...Object.fromEntries(selectors.map((selector) => [selector, 1])), '': 980 });
  });

  for (const [selector, body] of [
    ['b:nth-child(1)', siblings(20_000)],
    ['b:has(+ i)', siblings(20_000)],
    ['div:has(> i)', `${'<div>'.repeat(20_000)}<b>x</b>`],
  ] as const) {
    it(`are ignored after too many steps, with a note, and the check does not fail: ${selector}`, () => {
      const selectors = Array.from({ length: 200 }, (_, index) => `${selector}:not(.x${index})`);
      const { notes, occurrences } = checked(body, selectors);
      assert.deepEqual(notes, [{ code: 'selectors_ignored', params: {} }]);
      const found = Object.values(occurrences).reduce((sum, count) => sum + count, 0);
      assert.equal(found, body.split('<b>').length - 1);
    });
  }

  it('read the text of an element with more children than a call has arguments', () => {
    assert.deepEqual(checked(`<p>${'<i></i>'.repeat(150_000)}y</p><b>x</b>`, ['body:contains("y")']).notes, []);
  });
});
