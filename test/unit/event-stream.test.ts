import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { behindMaxMs, waitingMaxBytes } from '../../src/api/events/limits.ts';
import { createEventStream, type EventStream, eventIdOf, parseEventId } from '../../src/api/events/report-feeds.ts';

const event = (size: number) => ({ name: 'report', data: { text: 'x'.repeat(size) } }) as const;

/** Reads what waits, as a client does who is faster than the stream. */
function drain({ readable }: EventStream): string {
  let text = '';
  for (let chunk = readable.read(); chunk !== null; chunk = readable.read()) text += chunk;
  return text;
}

describe('an event stream', () => {
  test('gives a slow reader a reset with the last id instead of what it missed', () => {
    const stream = createEventStream(() => undefined);
    for (let count = 0; count < 40; count += 1) stream.send([event(20_000)], `id-${count}`);
    assert.ok(stream.readable.readableLength <= waitingMaxBytes);
    const text = drain(stream);
    assert.match(text, /event: report\nid: id-0\n/);
    assert.doesNotMatch(text, /event: report\nid: id-39/);
    assert.match(text, /event: reset\nid: id-39\ndata: \{\}\n\n$/);
    stream.send([event(1)], 'id-40');
    assert.match(drain(stream), /^event: report\nid: id-40\n/);
  });

  test('sends an event that is larger than the buffer if nothing else waits', () => {
    const stream = createEventStream(() => undefined);
    stream.readable.read();
    stream.send([event(waitingMaxBytes * 2)], 'id');
    assert.match(String(stream.readable.read()), /^event: report\nid: id\n/);
  });

  test('is closed when its reader has read nothing for long, and says so once', () => {
    let [now, ends] = [0, 0];
    const count = () => {
      ends += 1;
    };
    const stream = createEventStream(count, () => now);
    for (let sent = 0; sent < 40; sent += 1) stream.send([event(20_000)], null);
    stream.comment();
    assert.equal(stream.readable.destroyed, false);
    now = behindMaxMs + 1;
    stream.comment();
    assert.equal(stream.readable.destroyed, true);
    stream.end();
    setImmediate(() => assert.equal(ends, 1));
  });

  test('has the id on the last event of several', () => {
    const stream = createEventStream(() => undefined);
    stream.readable.read();
    stream.send([event(1), { name: 'gone', data: {} }], 'id');
    assert.equal(
      String(stream.readable.read()),
      'event: report\ndata: {"text":"x"}\n\nevent: gone\nid: id\ndata: {}\n\n',
    );
  });
});

describe('event ids', () => {
  test('are read as they were written', () => {
    for (const snapshot of ['5:5:', '10:20:10,14,19']) {
      const cursor = { time: 1_764_000_000, snapshot };
      assert.deepEqual(parseEventId(eventIdOf(cursor)), cursor);
    }
  });

  test('are refused if PostgreSQL would not read them', () => {
    for (const text of [
      '',
      '1-',
      '1-5:3:',
      '1-0:0:',
      '1-5:9:4',
      '1-5:9:8,7',
      '1-5:9:9',
      '1-5:9:6,',
      `1-5:${'9'.repeat(19)}:`,
    ]) {
      assert.equal(parseEventId(text), null, text);
    }
  });
});
