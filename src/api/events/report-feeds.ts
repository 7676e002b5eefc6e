import { Readable } from 'node:stream';
import { accessTo, type Viewer } from '../../accounts/access.ts';
import { AppError, messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Database } from '../../store/database.ts';
import type { ChangeCursor } from '../../store/reports/report-event-log.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import { statusOf } from '../jsonapi/errors.ts';
import {
  behindMaxMs,
  reconnectMs,
  streamsMax,
  tokenIntervalMs,
  tooManyStreamsRetryS,
  waitingMaxBytes,
} from './limits.ts';
import { createReportFeed, type FeedBatch, type FeedSubscriber, type ReportFeed } from './report-feed.ts';
import { createSharedStreams } from './shared-streams.ts';

/** A request for a stream of events. */
export interface StreamRequest {
  readonly viewer: Viewer;
  /** The report to follow, which the viewer can read; null for all reports of the viewer and the viewer's guests. */
  readonly reportId: string | null;
  /** The `Last-Event-ID` of the client; undefined if the client is new. */
  readonly lastEventId: string | undefined;
  /** Returns the document of a report, as the viewer sees it. */
  render(report: ReportWithChecks, viewer: Viewer): object;
  /** Authenticates the request again. @throws AppError with the status 401 or 403 if its token is no longer valid */
  reauthenticate(): Promise<Viewer>;
}

/** The event streams of this process. */
export interface ReportFeeds {
  /**
   * Opens a stream of every change from now on.
   * @throws RetryLater too_many_streams
   */
  open(request: StreamRequest): Promise<Readable>;
  /** Reads the changes of these accounts and reports; of all if null. */
  wake(ids: readonly string[] | null): void;
  /** Ends all streams. */
  close(): void;
}

interface SharedFeed {
  readonly feed: ReportFeed;
  users: number;
}

export function createReportFeeds({ db, log }: { readonly db: Database; readonly log: Logger }): ReportFeeds {
  /** By the id of the account or report. */
  const feeds = new Map<string, SharedFeed>();
  /** The open streams by owner. */
  const streams = new Map<string, Set<EventStream>>();

  const shared = createSharedStreams({ db, log, openStreams: () => streams });

  const enter = (key: string, isReport: boolean): ReportFeed => {
    const source = isReport ? { reportId: key } : { accountId: key };
    const entered = feeds.getOrInsertComputed(key, () => ({ feed: createReportFeed(db, source, log), users: 0 }));
    entered.users += 1;
    return entered.feed;
  };
  const exit = (key: string): void => {
    const entered = feeds.get(key);
    if (entered === undefined) return;
    entered.users -= 1;
    if (entered.users > 0) return;
    entered.feed.close();
    feeds.delete(key);
  };

  return {
    async open(request) {
      const { viewer, reportId, lastEventId } = request;
      // Everyone who has a share link shares its streams.
      const owner = viewer.link?.id ?? viewer.accountId;
      const open = streams.getOrInsertComputed(owner, () => new Set());
      if (open.size >= streamsMax) throw tooManyStreams();
      const key = reportId ?? viewer.accountId;
      const feed = enter(key, reportId !== null);
      const stream = createEventStream(() => {
        clearInterval(timer);
        feed.leave(subscriber);
        exit(key);
        open.delete(stream);
        if (open.size === 0) streams.delete(owner);
        void shared.publish(owner);
      });
      const { subscriber, recheck } = subscribe(stream, request, log);
      const timer = setInterval(recheck, tokenIntervalMs);
      open.add(stream);
      try {
        if (open.size + (await shared.publish(owner)) > streamsMax) throw tooManyStreams();
        await feed.join(subscriber, lastEventId === undefined ? undefined : parseEventId(lastEventId));
      } catch (error) {
        stream.readable.destroy();
        throw error;
      }
      // The stream may have ended in the meantime.
      if (stream.readable.destroyed || !open.has(stream)) feed.leave(subscriber);
      return stream.readable;
    },
    wake(ids) {
      for (const id of ids ?? feeds.keys()) feeds.get(id)?.feed.wake();
    },
    close() {
      shared.close();
      for (const stream of [...streams.values()].flatMap((open) => [...open])) stream.end();
    },
  };
}

function tooManyStreams(): RetryLater {
  const detail = `An account can have ${streamsMax} open event streams. Close a stream that you no longer need.`;
  return new RetryLater('too_many_streams', detail, tooManyStreamsRetryS);
}

/** Connects a stream to a feed, as its viewer may see it. */
function subscribe(
  stream: EventStream,
  request: StreamRequest,
  log: Logger,
): { readonly subscriber: FeedSubscriber; recheck(): void } {
  const { reportId, render } = request;
  let { viewer } = request;

  const eventsOf = ({ isReset, changed, gone }: FeedBatch): StreamEvent[] => [
    ...(isReset ? [{ name: 'reset', data: {} } as const] : []),
    ...changed.flatMap(({ report, lists }): StreamEvent[] => {
      const data = { report_id: report.id };
      if (accessTo(report, viewer) === 'none') return [{ name: 'gone', data }];
      return [
        { name: 'report', data: render(report, viewer) },
        ...(lists.webPages ? [{ name: 'web_pages', data } as const] : []),
        ...(lists.commonIssues ? [{ name: 'common_issues', data } as const] : []),
      ];
    }),
    ...gone.map((id) => ({ name: 'gone', data: { report_id: id } }) as const),
  ];
  return {
    subscriber: {
      deliver(batch) {
        const events = eventsOf(batch);
        stream.send(events, batch.cursor && eventIdOf(batch.cursor));
        if (reportId !== null && events.some(({ name }) => name === 'gone')) stream.end();
      },
      beat: () => stream.comment(),
    },
    recheck() {
      const renew = async (): Promise<void> => {
        const renewed = await request.reauthenticate();
        // The plan decides what is shown.
        if (renewed.plan !== viewer.plan) stream.send([{ name: 'reset', data: {} }], null);
        viewer = renewed;
      };
      renew().catch((error: unknown) => {
        if (error instanceof AppError && [401, 403].includes(statusOf(error.code) ?? 500)) stream.end();
        else log.warn({ reason: messageOf(error) }, 'Could not reauthenticate an event stream; will retry');
      });
    },
  };
}

/** `TIME-XMIN:XMAX:RUNNING`, where RUNNING are ids of transactions, separated by commas. */
const EVENT_ID = /^(\d{1,12})-(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18}){0,200})?)$/;

/** Returns the id of the last event before a cursor. Clients return it in `Last-Event-ID`. */
export function eventIdOf({ time, snapshot }: ChangeCursor): string {
  return `${time}-${snapshot}`;
}

/** Parses an event id; null if it is not valid. It may still come from another database. */
export function parseEventId(text: string): ChangeCursor | null {
  const [, time, xmin, xmax, running] = EVENT_ID.exec(text) ?? [];
  if (time === undefined || xmin === undefined || xmax === undefined || running === undefined) return null;
  // PostgreSQL rejects a snapshot that is not in order.
  const ids = [BigInt(xmin), ...running.split(',').flatMap((id) => (id === '' ? [] : BigInt(id))), BigInt(xmax)];
  const isInOrder = ids.every((id, index) => id > 0n && id >= (ids[index - 1] ?? 0n));
  const isOpenEnded = running === '' || ids.at(-2) !== ids.at(-1);
  return isInOrder && isOpenEnded ? { time: Number(time), snapshot: `${xmin}:${xmax}:${running}` } : null;
}

/** A server-sent event. */
interface StreamEvent {
  readonly name: 'report' | 'web_pages' | 'common_issues' | 'gone' | 'reset';
  readonly data: object;
}

export interface EventStream {
  /** The content of the stream, for the response. */
  readonly readable: Readable;
  /**
   * Sends events. A client that reads too slowly misses events, and gets `reset` when it has caught up.
   * @param id the id up to which the client then has everything; null if more events with the same id follow
   */
  send(events: readonly StreamEvent[], id: string | null): void;
  /** Sends a comment. Breaks the connection to a client that has been reading too slowly for too long. */
  comment(): void;
  /** Sends the pending data, and ends the stream. */
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
  /** The time since which events are missed; null while the client keeps up. */
  let behindSince: number | null = null;
  let isEnded = false;

  const finish = (): void => {
    if (isEnded) return;
    isEnded = true;
    onEnd();
  };
  const readable = new Readable({
    // Called once when the client has read most of the pending data. Not called again until something is pushed.
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
      // Later events would be out of order, and creating their text takes time.
      if (behindSince === null) write(textOf(events, id));
    },
    comment() {
      if (hasRead()) catchUp();
      if (behindSince === null) write(':\n\n');
      else if (now() - behindSince > behindMaxMs) readable.destroy();
    },
    end() {
      if (isEnded) return;
      // When a process stops, its clients must not all reconnect at the same moment.
      if (behindSince === null) write(`retry: ${Math.round(reconnectMs * (0.1 + 0.9 * Math.random()))}\n\n`);
      finish();
      readable.push(null);
      setTimeout(() => readable.destroy(), END_GRACE_MS).unref();
    },
  };
}

/** Formats events. The last event has the id: a client that loses the connection before it continues from the previous id. */
function textOf(events: readonly StreamEvent[], id: string | null): string {
  const idLine = id === null ? '' : `id: ${id}\n`;
  if (events.length === 0) return id === null ? '' : `${idLine}\n`;
  return events
    .map(({ name, data }, index) => {
      return `event: ${name}\n${index === events.length - 1 ? idLine : ''}data: ${JSON.stringify(data)}\n\n`;
    })
    .join('');
}
