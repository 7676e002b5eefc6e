import { Readable } from 'node:stream';
import { behindMaxMs, reconnectMs, waitingMaxBytes } from './limits.ts';

/** A server-sent event. */
export interface StreamEvent {
  readonly name: 'report' | 'web_pages' | 'common_issues' | 'gone' | 'reset';
  readonly data: object;
}

export interface EventStream {
  /** The text of the stream, for the response. */
  readonly readable: Readable;
  /**
   * Sends events. A client that reads too slowly misses them, and gets `reset` when it has caught up.
   * @param id the id up to which the client then has everything; null if more events with the same id follow
   */
  send(events: readonly StreamEvent[], id: string | null): void;
  /** Sends a comment. Breaks the connection to a client that has been reading nothing for too long. */
  comment(): void;
  /** Sends what waits, and ends the stream. */
  end(): void;
}

/** How long a client may take for the rest of an ended stream. */
const END_GRACE_MS = 3_000;

/**
 * Creates a stream of server-sent events, whose buffer is bounded.
 * @param onEnd is called once, when the stream ends or the client is gone
 */
export function createEventStream(onEnd: () => void, now: () => number = () => performance.now()): EventStream {
  let lastId: string | null = null;
  /** Since when events are missed; null while the client keeps up. */
  let behindSince: number | null = null;
  let isEnded = false;

  const finish = (): void => {
    if (isEnded) return;
    isEnded = true;
    onEnd();
  };
  const readable = new Readable({
    // Called once when the client has read most of what waits. Is not called again before something is pushed.
    read: () => catchUp(),
    destroy(error, done) {
      finish();
      done(error);
    },
  });
  const write = (text: string): void => {
    if (text === '' || isEnded) return;
    const waiting = readable.readableLength;
    if (waiting > 0 && waiting + Buffer.byteLength(text) > waitingMaxBytes) behindSince ??= now();
    if (behindSince === null) readable.push(text);
  };

  const catchUp = (): void => {
    if (behindSince === null || isEnded) return;
    behindSince = null;
    readable.push(textOf([{ name: 'reset', data: {} }], lastId));
  };

  const hasRead = (): boolean => readable.readableLength < readable.readableHighWaterMark;

  write(`retry: ${reconnectMs}\n\n`);
  return {
    readable,
    send(events, id) {
      lastId = id ?? lastId;
      if (hasRead()) catchUp();
      // Later events would be out of order, and making their text is work.
      if (behindSince === null) write(textOf(events, id));
    },
    comment() {
      if (hasRead()) catchUp();
      if (behindSince === null) write(':\n\n');
      else if (now() - behindSince > behindMaxMs) readable.destroy();
    },
    end() {
      if (isEnded) return;
      finish();
      readable.push(null);
      setTimeout(() => readable.destroy(), END_GRACE_MS).unref();
    },
  };
}

/** Formats events. The id is that of the last one: a client that loses the connection before it continues from the id before. */
function textOf(events: readonly StreamEvent[], id: string | null): string {
  const idLine = id === null ? '' : `id: ${id}\n`;
  if (events.length === 0) return id === null ? '' : `${idLine}\n`;
  return events
    .map(({ name, data }, index) => {
      return `event: ${name}\n${index === events.length - 1 ? idLine : ''}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');
}
