import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurnstile, type Turnstile } from '../../src/platform/turnstile.ts';

/** Lets callers come one after the other, and says in which order they got in. */
async function order(turnstile: Turnstile, lanes: readonly string[]): Promise<string[]> {
  const entered: string[] = [];
  const { signal } = new AbortController();
  const leaveFirst = await turnstile.enter('first', signal);
  const all = lanes.map(async (lane, index) => {
    const leave = await turnstile.enter(lane, signal);
    entered.push(`${lane}${index}`);
    leave();
  });
  leaveFirst();
  leaveFirst();
  await Promise.all(all);
  return entered;
}

describe('a turnstile', () => {
  it('lets lanes take turns, and who came first in a lane go first', async () => {
    const entered = await order(createTurnstile(1), ['a', 'a', 'a', 'b', 'a', 'b', 'c']);
    assert.deepEqual(entered, ['a0', 'b3', 'c6', 'a1', 'b5', 'a2', 'a4']);
  });

  it('has as many places as it was given, however often one leaves', async () => {
    const turnstile = createTurnstile(2);
    const { signal } = new AbortController();
    const leave = await turnstile.enter('a', signal);
    await turnstile.enter('a', signal);
    leave();
    leave();
    await turnstile.enter('b', signal);
    let isIn = false;
    void turnstile.enter('c', signal).then(() => {
      isIn = true;
    });
    await new Promise(setImmediate);
    assert.equal(isIn, false);
  });

  it('gives all places to who is to be alone, and lets nobody pass it meanwhile', async () => {
    const turnstile = createTurnstile(2);
    const { signal } = new AbortController();
    const events: string[] = [];
    const visit = async (name: string, alone = false): Promise<void> => {
      const leave = await turnstile.enter('a', signal, alone);
      events.push(`${name} in`);
      await new Promise((done) => setImmediate(done));
      events.push(`${name} out`);
      leave();
    };
    const giveUp = new AbortController();
    const first = visit('first');
    const given = turnstile.enter('a', giveUp.signal, true);
    const second = visit('second');
    giveUp.abort(new Error('no more'));
    await assert.rejects(given, /no more/);
    await Promise.all([first, second, visit('alone', true), visit('next'), visit('last')]);
    assert.deepEqual(
      events.map((event) => event.split(' ')[0]),
      ['first', 'second', 'first', 'second', 'alone', 'alone', 'next', 'last', 'next', 'last'],
    );
  });

  it('forgets who gives up waiting', async () => {
    const turnstile = createTurnstile(1);
    const giveUp = new AbortController();
    const { signal } = new AbortController();
    const leave = await turnstile.enter('a', signal);
    const given = turnstile.enter('b', giveUp.signal);
    const next = turnstile.enter('c', signal);
    giveUp.abort(new Error('no more'));
    await assert.rejects(given, /no more/);
    leave();
    (await next)();
    await assert.rejects(turnstile.enter('a', giveUp.signal), /no more/);
    await turnstile.enter('a', signal);
  });

  it('lets those who come again in before everybody else', async () => {
    const turnstile = createTurnstile(1);
    const { signal } = new AbortController();
    const leave = await turnstile.enter('a', signal);
    const entered: string[] = [];
    const visit = async (name: string, entering: Promise<() => void>): Promise<void> => {
      const leaveAgain = await entering;
      entered.push(name);
      leaveAgain();
    };
    const visits = [
      visit('new', turnstile.enter('a', signal)),
      visit('other', turnstile.enter('b', signal)),
      visit('again', turnstile.enterAgain(signal)),
    ];
    leave();
    await Promise.all(visits);
    assert.deepEqual(entered, ['again', 'new', 'other']);
  });

  it('gives only as many places as are open when somebody comes or leaves', async () => {
    let open = 1;
    const turnstile = createTurnstile(3, () => open);
    const { signal } = new AbortController();
    const leave = await turnstile.enter('a', signal);
    let entered = 0;
    for (const lane of ['a', 'a', 'a']) {
      void turnstile.enter(lane, signal).then(() => {
        entered += 1;
      });
    }
    await new Promise(setImmediate);
    assert.equal(entered, 0);
    open = 2;
    leave();
    await new Promise(setImmediate);
    assert.equal(entered, 2, 'who waits learns of it with the next who leaves');
    open = 3;
    void turnstile.enter('b', signal);
    await new Promise(setImmediate);
    assert.equal(entered, 3, 'or with the next who comes');
  });
});
