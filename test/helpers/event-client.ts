import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { until } from './until.ts';

/** A server-sent event, as a client receives it. */
export interface ReceivedEvent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely; a wrong guess fails the test.
  readonly data: any;
}

export interface EventClient {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly ReceivedEvent[];
  /** The id that a client would send in `Last-Event-ID`. */
  lastId(): string;
  /** Number of comments so far. */
  comments(): number;
  /** Whether the service ended the stream, and completely. */
  hasEnded(): boolean;
  /** Resolves when an event fulfils the condition. */
  seen(condition: (event: ReceivedEvent) => boolean): Promise<void>;
  pause(): void;
  resume(): void;
  close(): void;
}

/**
 * Opens a stream of events with a token, and parses it as the HTML standard says. Resolves when the response has begun.
 * @param url of the endpoint, with its query
 * @param credentials a token, or the headers that stand for it
 */
export async function followEvents(
  url: string,
  credentials: string | Readonly<Record<string, string>>,
  lastEventId?: string,
): Promise<EventClient> {
  const headers = {
    ...(typeof credentials === 'string' ? { authorization: `Bearer ${credentials}` } : credentials),
    'accept-encoding': 'gzip, br',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const { outgoing, incoming } = await open(url, headers);
  const events: ReceivedEvent[] = [];
  let [text, lastId, comments, hasEnded] = ['', '', 0, false];
  const take = (block: string): void => {
    const fields = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
    const field = (name: string) => fields.find(([, key]) => key === name)?.[2];
    lastId = field('id') ?? lastId;
    if (block.startsWith(':')) comments += 1;
    const data = field('data');
    if (data !== undefined) events.push({ name: field('event') ?? 'message', data: JSON.parse(data) });
  };
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) take(block);
  });
  incoming.on('error', () => undefined);
  incoming.on('end', () => {
    hasEnded = incoming.complete;
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events,
    lastId: () => lastId,
    comments: () => comments,
    hasEnded: () => hasEnded,
    seen: (condition) => until(() => events.some(condition)),
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    close: () => void outgoing.destroy(),
  };
}

function open(
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly outgoing: ClientRequest; readonly incoming: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false }, (incoming) => resolve({ outgoing, incoming }));
    outgoing.on('error', reject).end();
  });
}

/** Asserts that a stream was opened. */
export function assertOpened({ status, headers }: EventClient): void {
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/event-stream');
  assert.equal(headers['cache-control'], 'no-store, no-transform');
  assert.equal(headers['x-accel-buffering'], 'no');
  assert.equal(headers['content-encoding'], undefined);
}
