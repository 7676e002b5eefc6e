import type { Readable, Writable } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';
import {
  createDirectSession,
  type DevtoolsSession,
  type DirectSession,
  type SessionMessage,
} from './devtools-session.ts';
import { devtoolsAnswerMaxBytes, devtoolsEventMaxBytes, devtoolsPageEventMaxBytes } from './limits.ts';

/** Events that have no listener here, and that pages can cause any number of times. */
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

/** How a message of a session ends. Sessions of pages cannot change that, because everything they send is inside `params`. */
const SESSION_AT_END = /"sessionId":"(\w+)"\}$/;
const TAIL_CHARACTERS = 64;
const METHOD_AT_START = /^\{"method":"([\w.]+)"/;

/** A transport of the DevTools protocol for Playwright, which other sessions also use. */
export interface DevtoolsPipe extends ConnectOverCDPTransport {
  /**
   * Returns a session to which the browser has been attached. Its messages bypass Playwright, which takes several times as much
   * processor time per message. If the session has been detached since, every command is rejected.
   */
  openSession(sessionId: string): DevtoolsSession;
  /**
   * Rejects the commands of all sessions. Call it when Playwright reports the end of the browser, because that report explains
   * why it ended.
   */
  endSessions(): void;
}

/**
 * Creates a transport for the DevTools protocol over a pipe: JSON messages, each terminated by a NUL.
 *
 * Pages control the number and the length of console messages, errors, dialogs and URLs, and Playwright keeps hundreds of each in
 * memory. So messages that are too long or not needed are dropped before they are decoded. A command whose response is dropped
 * never resolves.
 */
export function createDevtoolsPipe(input: Writable, output: Readable): DevtoolsPipe {
  /** The ids of sessions that have not ended, including those that Playwright uses. */
  const attached = new Set<string>();
  const sessions = new Map<string, DirectSession>();
  const write = (message: object): void => {
    if (input.writable) input.write(`${JSON.stringify(message)}\0`);
  };
  const end = (sessionId: string): void => {
    attached.delete(sessionId);
    sessions.get(sessionId)?.end();
    sessions.delete(sessionId);
  };
  const receive = (message: SessionMessage & { readonly sessionId?: string }): void => {
    const session = sessions.get(message.sessionId ?? '');
    // Playwright defers its own messages by one turn. Without the same delay here, earlier events could arrive later.
    if (session !== undefined) return void setImmediate(() => session.receive(message));
    const { sessionId = '' } = (message.params ?? {}) as { readonly sessionId?: string };
    if (message.method === 'Target.attachedToTarget') attached.add(sessionId);
    if (message.method === 'Target.detachedFromTarget') setImmediate(() => end(sessionId));
    transport.onmessage?.(message);
  };
  const transport: DevtoolsPipe = {
    send: write,
    close() {
      input.end();
    },
    openSession(sessionId) {
      const opened = createDirectSession((command) => write({ ...command, sessionId }));
      // The page may have been closed before Playwright reported the id.
      if (attached.has(sessionId)) sessions.set(sessionId, opened);
      else opened.end();
      return opened.session;
    },
    endSessions() {
      for (const sessionId of [...sessions.keys()]) end(sessionId);
    },
  };
  // Both streams fail when the browser ends, which `close` reports.
  input.on('error', () => undefined);
  output.on('error', () => undefined);
  output.on('close', () => transport.onclose?.());
  const hasNoListener = (head: string, tail: string): boolean => {
    const method = METHOD_AT_START.exec(head)?.[1];
    const session = sessions.get(SESSION_AT_END.exec(tail)?.[1] ?? '');
    return method !== undefined && session !== undefined && !session.listensTo(method);
  };
  readMessages(output, hasNoListener, (text) => {
    // Promises that depend on one message resolve before the next message.
    setImmediate(() => receive(JSON.parse(text)));
  });
  return transport;
}

function bytesMaxOf(head: string): number {
  if (head.startsWith(ANSWER)) return devtoolsAnswerMaxBytes;
  return head.startsWith(PAGE_EVENT) ? devtoolsPageEventMaxBytes : devtoolsEventMaxBytes;
}

/** @param hasNoListener whether nothing listens to an event, by the first and the last characters of its message */
function readMessages(
  output: Readable,
  hasNoListener: (head: string, tail: string) => boolean,
  onMessage: (text: string) => void,
): void {
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
    if (!isDropped()) {
      const bytes = Buffer.concat(parts);
      const tail = bytes.toString('latin1', Math.max(0, bytes.length - TAIL_CHARACTERS));
      if (!hasNoListener(head, tail)) onMessage(bytes.toString('utf8'));
    }
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
