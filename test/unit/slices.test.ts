import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTurn, slicesByWeight, slicesInTurns } from '../../src/platform/slices.ts';

test('tasks that work in slices wait for their turns, and others run in between', async () => {
  const events: string[] = [];
  let isOver = false;
  const other = (): void => {
    events.push('|');
    if (!isOver) setImmediate(other);
  };
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextTurn();
      events.push(name);
    }
  };
  setImmediate(other);
  await Promise.all(['a', 'b', 'c'].map(work));
  isOver = true;
  assert.equal(events.join('').replaceAll(/\|+/g, '|').replace(/^\|/, ''), 'a|b|c|a|b|c|a|b|c');
});

test('slices keep the order and the sizes that were asked for', async () => {
  const slices = await Array.fromAsync(slicesInTurns([1, 2, 3, 4, 5], 2));
  assert.deepEqual(slices, [[1, 2], [3, 4], [5]]);
  assert.deepEqual([...slicesByWeight([3, 1, 1, 9, 1], (row) => row, 4)], [[3, 1], [1], [9], [1]]);
});
