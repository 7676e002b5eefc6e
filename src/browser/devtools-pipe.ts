import type { Readable, Writable } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';
import { devtoolsAnswerMaxBytes, devtoolsEventMaxBytes, devtoolsPageEventMaxBytes } from './limits.ts';

/** Events without a listener here, of which pages can cause any number. */
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
 * Creates a transport for the DevTools protocol over a pipe: JSON messages, each terminated by a NUL.
 *
 * Pages control the number and the length of console messages, errors, dialogs and URLs, and Playwright keeps hundreds of each in
 * memory. So messages that are too long or not needed are dropped before they are decoded. A command whose response is dropped
 * never resolves.
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
  // Both fail when the browser ends, which `close` reports.
  input.on('error', () => undefined);
  output.on('error', () => undefined);
  output.on('close', () => transport.onclose?.());
  readMessages(output, (text) => {
    // Lets promises that depend on one message resolve before the next message.
    setImmediate(() => transport.onmessage?.(JSON.parse(text)));
  });
  return transport;
}

function bytesMaxOf(head: string): number {
  if (head.startsWith(ANSWER)) return devtoolsAnswerMaxBytes;
  return head.startsWith(PAGE_EVENT) ? devtoolsPageEventMaxBytes : devtoolsEventMaxBytes;
}

function readMessages(output: Readable, onMessage: (text: string) => void): void {
  let head = '';
  let size = 0;
  let parts: Buffer[] = [];

  function isDropped(): boolean {
    if (size > bytesMaxOf(head)) return true;
    return IGNORED_EVENTS.some((start) => head.startsWith(start));
  }

  function take(part: Buffer): void {
    size += part.length;
    head += part.toString('latin1', 0, HEAD_CHARACTERS - head.length);
    if (isDropped()) parts = [];
    else parts.push(part);
  }

  function finish(): void {
    if (!isDropped()) onMessage(Buffer.concat(parts).toString('utf8'));
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
