import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { type ConsumedWork, type Consumer, startConsumer } from '../../src/queue/consumer.ts';

const log = pino({ level: 'silent' });

/** Numbered pieces of work that run until they are ended. */
function playWork(pieces: number, shape: Pick<ConsumedWork<number>, 'concurrency' | 'batch' | 'ahead' | 'ownerOf'>) {
  const free = Array.from({ length: pieces }, (_, index) => index);
  const running = new Map<number, () => void>();
  /** Lets a running piece wait without counting as running. Returns how to end the wait. */
  const aside = new Map<number, () => () => void>();
  const run: number[] = [];
  const claims: number[] = [];
  let announce = (): void => undefined;
  const worker = {
    onWork(_: string, listener: () => void) {
      announce = listener;
      return () => undefined;
    },
    rejoin: () => undefined,
    membership: () => new AbortController().signal,
  };
  const consumer: Consumer = startConsumer<number>(
    { worker, log },
    {
      topic: 'test',
      ...shape,
      async claim(limit, except) {
        const isLeftOut = (piece: number) => except.includes(shape.ownerOf?.(piece) ?? '');
        const claimed = free.filter((piece) => !isLeftOut(piece)).slice(0, limit);
        for (const piece of claimed) free.splice(free.indexOf(piece), 1);
        claims.push(claimed.length);
        return claimed;
      },
      async run(piece, { signal, stepAside }) {
        run.push(piece);
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        running.set(piece, end);
        signal.addEventListener('abort', () => end());
        aside.set(piece, () => {
          const { promise: back, resolve: comeBack } = Promise.withResolvers<void>();
          void stepAside(() => back);
          return comeBack;
        });
        await ended;
        running.delete(piece);
      },
      async giveBack(piece) {
        free.push(piece);
      },
    },
  );
  return {
    consumer,
    free,
    running,
    run,
    claims,
    announce: () => announce(),
    stepAside: (piece: number) => aside.get(piece)?.() ?? assert.fail(),
    end: (piece: number) => running.get(piece)?.(),
  };
}

/** Waits until everything that requires no time has happened. */
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('a work consumer', () => {
  it('leaves places free for pieces of other owners, and claims them past those that wait', async () => {
    const ownerOf = (piece: number) => (piece < 100 ? 'busy' : 'modest');
    const { consumer, free, running, claims, announce, end } = playWork(100, {
      ...{ concurrency: 4, batch: 10, ahead: 2 },
      ownerOf,
    });
    await settled();
    assert.deepEqual(
      [[...running.keys()], claims],
      [
        [0, 1],
        [10, 0],
      ],
      'half of the places',
    );
    free.push(100, 101, 102);
    announce();
    await settled();
    assert.deepEqual([...running.keys()], [0, 1, 100], 'as many as it leaves free');
    end(100);
    await settled();
    assert.deepEqual([...running.keys()], [0, 1, 101]);
    end(0);
    await settled();
    assert.deepEqual([...running.keys()], [1, 101, 2]);
    end(101);
    await settled();
    assert.deepEqual([...running.keys()], [1, 2, 102]);
    end(102);
    await settled();
    assert.deepEqual([...running.keys()], [1, 2], 'one place more would be more than half');
    for (let piece = 1; piece < 100; piece += 1) {
      end(piece);
      await settled();
    }
    assert.deepEqual([[...running.keys()], free], [[], []], 'nothing is left waiting');
    await consumer.stop();
  });

  it('counts no pieces of an owner that stepped aside, as it counts none of the places in use', async () => {
    const { consumer, running, stepAside, end } = playWork(9, {
      ...{ concurrency: 2, batch: 9, ahead: 0 },
      ownerOf: () => 'only',
    });
    await settled();
    assert.deepEqual([...running.keys()], [0]);
    const comeBack = stepAside(0);
    await settled();
    assert.deepEqual([...running.keys()], [0, 1]);
    stepAside(1);
    await settled();
    assert.deepEqual([...running.keys()], [0, 1, 2], 'both places are free');
    comeBack();
    await settled();
    end(2);
    await settled();
    assert.deepEqual([...running.keys()], [0, 1], 'the piece that came back has half of the places');
    await consumer.stop();
  });

  it('keeps as many pieces running as it may, and claims ahead in batches', async () => {
    const { consumer, running, claims, end } = playWork(100, { concurrency: 2, batch: 5, ahead: 3 });
    await settled();
    assert.deepEqual([[...running.keys()], claims], [[0, 1], [5]]);
    end(0);
    await settled();
    assert.deepEqual(
      [[...running.keys()], claims],
      [
        [1, 2],
        [5, 5],
      ],
      'two wait, fewer than three',
    );
    end(2);
    end(1);
    await settled();
    assert.deepEqual(
      [[...running.keys()], claims],
      [
        [3, 4],
        [5, 5],
      ],
    );
    await consumer.stop();
  });

  it('runs every piece once, in the order in which they were claimed', async () => {
    const { consumer, running, run, claims, end } = playWork(9, { concurrency: 4, batch: 2, ahead: 0 });
    for (await settled(); running.size > 0; await settled()) {
      assert(running.size <= 4);
      for (const piece of [...running.keys()]) end(piece);
    }
    assert.deepEqual(run, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert.deepEqual(claims, [2, 2, 2, 2, 1], 'after a part of a batch there is nothing more');
    await consumer.stop();
  });

  it('claims again when it is woken, by the worker or a caller', async () => {
    const { consumer, free, running, run, announce } = playWork(0, { concurrency: 2, batch: 1, ahead: 0 });
    await settled();
    free.push(7);
    await settled();
    assert.equal(running.size, 0);
    announce();
    await settled();
    free.push(8);
    consumer.wake();
    await settled();
    assert.deepEqual(run, [7, 8]);
    await consumer.stop();
  });

  it('aborts running pieces and releases the rest when it is stopped', async () => {
    const { consumer, free, running, run } = playWork(4, { concurrency: 1, batch: 4, ahead: 4 });
    await settled();
    await consumer.stop();
    consumer.wake();
    await settled();
    assert.deepEqual([run, free, running.size], [[0], [1, 2, 3], 0]);
  });

  it('retries when work cannot be claimed', async () => {
    const claimed = Promise.withResolvers<void>();
    let failures = 0;
    const consumer = startConsumer<string>(
      {
        worker: {
          onWork: () => () => undefined,
          rejoin: () => undefined,
          membership: () => new AbortController().signal,
        },
        log,
      },
      {
        topic: 'test',
        concurrency: 1,
        batch: 2,
        ahead: 0,
        async claim() {
          failures += 1;
          if (failures === 1) throw new Error('The database is away');
          return ['piece'];
        },
        run: async () => claimed.resolve(),
        giveBack: async () => undefined,
      },
    );
    await claimed.promise;
    await consumer.stop();
    assert.equal(failures, 2);
  });
});
