import assert from 'node:assert/strict';
import { test } from 'node:test';
import { occurrencesOfText, parseBaseline } from '../../src/issues/baseline-file.ts';

const KIND = `html ${'0f'.repeat(16)}`;
const VALID = {
  sitewarden_baseline: 1,
  engines: { html: ['vnu 1'] },
  kinds: { [KIND]: 'warning: Duplicate ID: “main”.' },
  pages: { './': { [KIND]: '000000000001 00000000000f' } },
};

test('a baseline is read, however it is formatted', () => {
  const { engines, kinds, pages } = parseBaseline(JSON.stringify(VALID, null, '\t'));
  assert.deepEqual([...engines], [['html', ['vnu 1']]]);
  assert.deepEqual([...kinds], [[KIND, { type: 'warning', message: 'Duplicate ID: “main”.' }]]);
  assert.deepEqual([...(pages.get('./') ?? [])], [[KIND, '000000000001 00000000000f']]);
});

test('an occurrence may have a trace', () => {
  const text = '000000000001 00000000000ffedcba9876543210';
  const read = parseBaseline(JSON.stringify({ ...VALID, pages: { './': { [KIND]: text } } }));
  const { occurrences, traces } = occurrencesOfText(read.pages.get('./')?.get(KIND) ?? '');
  assert.deepEqual(occurrences, ['000000000001', '00000000000f']);
  assert.equal(Buffer.from(traces).toString('hex'), '0000000000000000fedcba9876543210');
});

test('anything else is refused with the reason', () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    ['', 'is not valid JSON'],
    ['{\n<<<<<<< HEAD\n}', 'has unresolved merge conflicts'],
    [[], 'is not a baseline'],
    [{}, 'is not a baseline'],
    [{ ...VALID, sitewarden_baseline: 2 }, 'has format 2, but this version reads format 1'],
    [{ ...VALID, engines: { html: 'vnu' } }, 'is damaged at "html"'],
    [{ ...VALID, kinds: [] }, 'is damaged at "kinds"'],
    [{ ...VALID, pages: { './': [] } }, 'is damaged at "./"'],
    [{ ...VALID, pages: { './': { html: '000000000001' } } }, 'is damaged at "html"'],
    [{ ...VALID, pages: { './': { [KIND]: '0001' } } }, `is damaged at "${KIND}"`],
  ];
  for (const [content, message] of wrong) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    assert.throws(() => parseBaseline(text), { message }, message);
  }
});
