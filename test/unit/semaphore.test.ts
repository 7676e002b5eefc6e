import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSemaphore, type Semaphore } from '../../src/platform/semaphore.ts';

/** Adds callers one after the other, and returns the order in which they were admitted. */
async function order(semaphore: Semaphore, lanes: readonly string[]): Promise<string[]> {
  const entered: string[] = [];
  const { signal } = new AbortController();
  const leaveFirst = await semaphore.acquire('first', signal);
  const all = lanes.map(async (lane, index) => {
    const leave = await semaphore.acquire(lane, signal);
    entered.push(`${lane}${index}`);
    leave();
  });
  leaveFirst();
  leaveFirst();
  await Promise.all(all);
  return entered;
}

describe('a semaphore', () => {
  it('alternates between lanes, first come first served in each', async () => {
    const entered = await order(createSemaphore(1), ['a', 'a', 'a', 'b', 'a', 'b', 'c']);
    assert.deepEqual(entered, ['a0', 'b3', 'c6', 'a1', 'b5', 'a2', 'a4']);
  });

  it('has a fixed number of places, however often one is released', async () => {
    const semaphore = createSemaphore(2);
    const { signal } = new AbortController();
    const leave = await semaphore.acquire('a', signal);
    await semaphore.acquire('a', signal);
    leave();
    leave();
    await semaphore.acquire('b', signal);
    let isIn = false;
    void semaphore.acquire('c', signal).then(() => {
      isIn = true;
    });
    await new Promise(setImmediate);
    assert.equal(isIn, false);
  });

  it('gives all places to an exclusive caller, and lets no one overtake it', async () => {
    const semaphore = createSemaphore(2);
    const { signal } = new AbortController();
    const events: string[] = [];
    const visit = async (name: string, alone = false): Promise<void> => {
      const leave = await semaphore.acquire('a', signal, alone);
      events.push(`${name} in`);
      await new Promise((done) => setImmediate(done));
      events.push(`${name} out`);
      leave();
    };
    const giveUp = new AbortController();
    const first = visit('first');
    const given = semaphore.acquire('a', giveUp.signal, true);
    const second = visit('second');
    giveUp.abort(new Error('no more'));
    await assert.rejects(given, /no more/);
    await Promise.all([first, second, visit('alone', true), visit('next'), visit('last')]);
    assert.deepEqual(
      events.map((event) => event.split(' ')[0]),
      ['first', 'second', 'first', 'second', 'alone', 'alone', 'next', 'last', 'next', 'last'],
    );
  });

  it('forgets callers that give up', async () => {
    const semaphore = createSemaphore(1);
    const giveUp = new AbortController();
    const { signal } = new AbortController();
    const leave = await semaphore.acquire('a', signal);
    const given = semaphore.acquire('b', giveUp.signal);
    const next = semaphore.acquire('c', signal);
    giveUp.abort(new Error('no more'));
    await assert.rejects(given, /no more/);
    leave();
    (await next)();
    await assert.rejects(semaphore.acquire('a', giveUp.signal), /no more/);
    await semaphore.acquire('a', signal);
  });

  it('admits returning callers first', async () => {
    const semaphore = createSemaphore(1);
    const { signal } = new AbortController();
    const leave = await semaphore.acquire('a', signal);
    const entered: string[] = [];
    const visit = async (name: string, entering: Promise<() => void>): Promise<void> => {
      const leaveAgain = await entering;
      entered.push(name);
      leaveAgain();
    };
    const visits = [
      visit('new', semaphore.acquire('a', signal)),
      visit('other', semaphore.acquire('b', signal)),
      visit('again', semaphore.acquireAgain(signal)),
    ];
    leave();
    await Promise.all(visits);
    assert.deepEqual(entered, ['again', 'new', 'other']);
  });

  it('gives only as many places as are open', async () => {
    let open = 1;
    const semaphore = createSemaphore(3, () => open);
    const { signal } = new AbortController();
    const leave = await semaphore.acquire('a', signal);
    let entered = 0;
    for (const lane of ['a', 'a', 'a']) {
      void semaphore.acquire(lane, signal).then(() => {
        entered += 1;
      });
    }
    await new Promise(setImmediate);
    assert.equal(entered, 0);
    open = 2;
    leave();
    await new Promise(setImmediate);
    assert.equal(entered, 2, 'a waiting caller learns of it when the next one leaves');
    open = 3;
    void semaphore.acquire('b', signal);
    await new Promise(setImmediate);
    assert.equal(entered, 3, 'or when the next one arrives');
  });
});
