import type { Readable, Writable } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';
import { devtoolsAnswerMaxBytes, devtoolsEventMaxBytes, devtoolsPageEventMaxBytes } from './limits.ts';

/** What pages can make the browser tell in any amount, and nobody here listens to. */
const IGNORED_EVENTS = [
  'Log.entryAdded',
  'Network.webSocketFrameReceived',
  'Network.webSocketFrameSent',
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
].map((method) => `{"method":"${method}"`);
const ANSWER = '{"id":';
const PAGE_EVENT = '{"method":"Page.';
const HEAD_CHARACTERS = 64;

/**
 * The browser's DevTools protocol over its pipe: JSON messages, each ended by a NUL.
 *
 * Pages decide how much they write to their console, how long the texts of their errors and dialogs are, and how long their
 * URLs. Playwright keeps the last hundreds of each in the memory of this process. So what is too long, and what nobody
 * needs, is passed over before it is even a text. Who waits for an answer that is passed over waits in vain.
 */
export function createDevtoolsPipe(input: Writable, output: Readable): ConnectOverCDPTransport {
  const transport: ConnectOverCDPTransport = {
    send(message) {
      if (input.writable) input.write(`${JSON.stringify(message)}\0`);
    },
    close() {
      input.end();
    },
  };
  // Both end with the browser, which is then seen by `close`.
  input.on('error', () => undefined);
  output.on('error', () => undefined);
  output.on('close', () => transport.onclose?.());
  readMessages(output, (text) => {
    // What follows from one message is done before the next.
    setImmediate(() => transport.onmessage?.(JSON.parse(text)));
  });
  return transport;
}

function bytesMaxOf(head: string): number {
  if (head.startsWith(ANSWER)) return devtoolsAnswerMaxBytes;
  return head.startsWith(PAGE_EVENT) ? devtoolsPageEventMaxBytes : devtoolsEventMaxBytes;
}

function readMessages(output: Readable, hear: (text: string) => void): void {
  let head = '';
  let size = 0;
  let parts: Buffer[] = [];

  function isPassedOver(): boolean {
    if (size > bytesMaxOf(head)) return true;
    return IGNORED_EVENTS.some((start) => head.startsWith(start));
  }

  function take(part: Buffer): void {
    size += part.length;
    head += part.toString('latin1', 0, HEAD_CHARACTERS - head.length);
    if (isPassedOver()) parts = [];
    else parts.push(part);
  }

  function finish(): void {
    if (!isPassedOver()) hear(Buffer.concat(parts).toString('utf8'));
    head = '';
    size = 0;
    parts = [];
  }

  output.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      take(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  });
}
