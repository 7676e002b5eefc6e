import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectNote, leadingFixes } from '../../src/exports/leading-fixes.ts';

test('a summary has the first fixes, and some of each check that has none among them', async () => {
  const kinds = ['html', 'html', 'a11y', 'html', 'link', 'html', 'link', 'link', 'link', 'a11y'];
  const model = {
    fixes: async () => kinds.map((kind, index) => ({ kind, position: index + 1 })),
    causesLeftOut: async () => 7,
  } as unknown as Parameters<typeof leadingFixes>[0];
  const { fixes, others, unplanned } = await leadingFixes(model, 3);
  assert.deepEqual(
    fixes.map(({ kind, position }) => `${position} ${kind}`),
    ['1 html', '2 html', '3 a11y', '5 link', '7 link', '8 link'],
  );
  assert.deepEqual([others.length, unplanned], [4, 7]);
  assert.match(effectNote(fixes), /that all fixes before it in the plan are made/);
  assert.equal(effectNote(fixes.slice(0, 3)), '');
});
