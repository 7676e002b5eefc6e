import type { QueryClient } from '@tanstack/react-query';
import { API, itemOf, type ResourceDocument } from 'sitewarden-client';
import { isStatus } from 'sitewarden-client/errors';
import { credentials, noteSignedOut, send, shareSecret, UNATTENDED } from './client.ts';

export interface Live {
  /** When the service last sent anything, if it has been silent for a while; null while events arrive. */
  lostSince(): Date | null;
  /** Calls the listener when the state changes. Returns a function that removes it. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

interface LiveEvent {
  readonly name: string;
  /** For `report`, the resource in the format of the API; for hints, the id of the report that changed. */
  readonly data: { readonly data?: ResourceDocument['data']; readonly report_id?: string };
}

/** Streams send a comment every 15 s. */
const silenceMaxMs = 20_000;
const lookMs = 1_000;
const reconnectMs = 2_000;
/** How long to wait after a stream ends. A lost network also ends it, and the next attempt detects that at once. */
const retryMs = 250;
const lostAfterMs = 4_000;
const pollMs = 10_000;
/** A hidden tab closes its stream, because an account may have only 20. */
const hiddenMaxMs = 60_000;
const refetchMinMs = 1_000;

/**
 * Keeps the screen up to date with the events of the service. One tab of a browser reads the stream and forwards it to the
 * others, because over HTTP/1.1 a browser opens at most six connections to a host.
 */
export function startLive(queries: QueryClient): Live {
  const listeners = new Set<() => void>();
  const channel = new BroadcastChannel(streamName());
  const stale = createStaleness(queries);
  const closing = new AbortController();
  let lostSince: Date | null = null;
  let lastSign = Date.now();
  let wasRefused = false;

  const setLost = (isLost: boolean): void => {
    if (isLost === (lostSince !== null)) return;
    // Events in between are unknown.
    if (!isLost) stale.all();
    lostSince = isLost ? new Date(lastSign) : null;
    for (const listener of listeners) listener();
  };
  const receive = (event: LiveEvent): void => {
    const isLost = event.name === 'lost';
    if (!isLost) lastSign = Date.now();
    setLost(isLost);
    const isRefused = event.name === 'refused';
    // Another tab may have sent the request, and the user may have signed in there.
    if (isRefused) noteSignedOut();
    else if (wasRefused) stale.all();
    wasRefused = isRefused;
    stale.apply(event);
  };
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => receive(data);
  const watch = setInterval(() => {
    if (document.hidden) return;
    // The tab that reads the stream may be hidden, and have closed it.
    if (Date.now() - lastSign > silenceMaxMs + lostAfterMs) setLost(true);
    if (lostSince !== null) stale.all();
  }, pollMs);
  void leadStreams(closing.signal, (event) => {
    receive(event);
    channel.postMessage(event);
  });
  return {
    lostSince: () => lostSince,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closing.abort();
      clearInterval(watch);
      channel.close();
    },
  };
}

/** Reads streams while this tab is the reader. Locks exist only over HTTPS and on loopback; without them, each tab reads. */
async function leadStreams(signal: AbortSignal, onEvent: (event: LiveEvent) => void): Promise<void> {
  const lead = async (): Promise<void> => {
    const contact = createContact(onEvent);
    while (!signal.aborted) {
      await whileVisible(signal);
      const isRefused = await readStream(signal, contact).then(
        () => false,
        (error: unknown) => isStatus(error, 401),
      );
      // The service is running, but the session has ended.
      if (isRefused) contact.hear({ name: 'refused', data: {} });
      await pause(contact.miss() === 1 && !isRefused ? retryMs : reconnectMs, signal);
    }
  };
  if ('locks' in navigator) await navigator.locks.request(streamName(), { signal }, lead).catch(() => undefined);
  else await lead();
}

/** Each share link has its own account. */
function streamName(): string {
  return `sitewarden-events ${shareSecret() ?? ''}`;
}

/** What successive streams reveal about the service. */
interface Contact {
  /** The id of the last event. */
  lastId(): string | null;
  hear(event: LiveEvent, id?: string | null): void;
  /** Records that a stream has ended or could not be opened. Returns how many times in a row. */
  miss(): number;
}

function createContact(onEvent: (event: LiveEvent) => void): Contact {
  let lastId: string | null = null;
  let heardAt = Date.now();
  /** When the stream ended; null while there is one, and while the tab is hidden. */
  let endedAt: number | null = null;
  let misses = 0;
  return {
    lastId: () => lastId,
    hear(event, id = null) {
      // Without an id to continue from, the events in between are unknown.
      if (event.name === 'open' && endedAt !== null && lastId === null) onEvent({ name: 'reset', data: {} });
      [lastId, heardAt, endedAt, misses] = [id ?? lastId, Date.now(), null, 0];
      onEvent(event);
    },
    miss() {
      const now = Date.now();
      // A hidden tab had no stream. A silent stream counts as ended from the time of its last event.
      if (document.hidden) endedAt = null;
      else endedAt ??= now - heardAt > silenceMaxMs ? heardAt : now;
      misses += 1;
      // Only a failed attempt shows that the service is gone: without a network, a service on this machine still responds.
      const isLost = endedAt !== null && (!navigator.onLine || now - endedAt > lostAfterMs);
      if (misses > 1 && isLost) onEvent({ name: 'lost', data: {} });
      return misses;
    },
  };
}

/** Reads one stream until it ends or falls silent. A browser keeps it open when the network goes away. */
async function readStream(signal: AbortSignal, contact: Contact): Promise<void> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const isEnded = AbortSignal.any([signal, ended.signal]);
  let heardAt = Date.now();
  // Compares clock times, because timers stop while a computer sleeps and its connections end.
  const silence = setInterval(() => {
    if (Date.now() - heardAt > silenceMaxMs) end();
  }, lookMs);
  let hidden: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = (): void => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(end, hiddenMaxMs);
  };
  document.addEventListener('visibilitychange', onVisibility, { signal: isEnded });
  window.addEventListener('offline', end, { signal: isEnded });
  try {
    const lastId = contact.lastId();
    const headers = { ...credentials(), ...UNATTENDED, ...(lastId !== null && { 'last-event-id': lastId }) };
    const response = await send(`${API}/events`, { headers, signal: isEnded });
    if (response.body === null) return;
    contact.hear({ name: 'open', data: {} });
    for await (const { name, data, id } of eventsIn(response.body.pipeThrough(new TextDecoderStream()))) {
      heardAt = Date.now();
      contact.hear(name === '' ? { name: 'comment', data: {} } : { name, data: JSON.parse(data) }, id);
    }
  } finally {
    clearInterval(silence);
    clearTimeout(hidden);
    end();
  }
}

/** Marks changed data as stale, at most once per second for each key. Data on the screen is fetched again. */
function createStaleness(queries: QueryClient) {
  let pending = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const prefixes = pending;
    pending = new Set();
    for (const prefix of prefixes) void queries.invalidateQueries({ queryKey: JSON.parse(prefix) });
  };
  const mark = (...key: readonly string[]): void => {
    pending.add(JSON.stringify(key));
    if (timer === undefined) timer = setTimeout(flush, refetchMinMs);
  };
  return {
    all: () => void queries.invalidateQueries(),
    apply({ name, data }: LiveEvent): void {
      const report = data.report_id ?? data.data?.id ?? '';
      if (name === 'reset') mark();
      if (data.data !== undefined) {
        const item = itemOf<'report'>(data.data);
        queries.setQueryData(['report', report, 'self'], item);
        // The report has spent credits.
        if (item.finished_at !== null) mark('account');
      }
      if (name === 'report' || name === 'gone') {
        if (name === 'gone') mark('report', report, 'self');
        mark('reports');
        mark('sites');
        mark('schedules');
      }
      if (name === 'web_pages') mark('report', report, 'pages');
      if (name === 'common_issues') mark('report', report, 'issues');
    },
  };
}

function whileVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve());
  });
}

/** Waits for a time, or until the network returns. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  await new Promise<unknown>((resolve) => {
    setTimeout(resolve, ms);
    window.addEventListener('online', resolve, { signal: over.signal });
    signal.addEventListener('abort', resolve, { signal: over.signal });
  });
  over.abort();
}

/** An event of `text/event-stream`. Comments have no name and no data. */
interface TextEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | null;
}

/** Limits how much a broken stream makes the browser store. */
const eventMaxCharacters = 4_194_304;

/** Parses an event stream (HTML standard, section 9.2), limited to what the service sends: lines end with a line feed. */
async function* eventsIn(chunks: AsyncIterable<string>): AsyncGenerator<TextEvent> {
  let rest = '';
  for await (const chunk of chunks) {
    rest += chunk;
    if (rest.length > eventMaxCharacters) throw new RangeError('An event is too large.');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): TextEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const before = fields.get(name);
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value);
  }
  return { name: fields.get('event') ?? '', data: fields.get('data') ?? '', id: fields.get('id') ?? null };
}
