import { remembering } from '../../platform/bounded-cache.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { createSerialQueue } from '../../platform/serial-queue.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Database } from '../../store/database.ts';
import {
  type ChangeCursor,
  type ChangeSource,
  changesSince,
  currentCursor,
} from '../../store/reports/report-event-log.ts';
import { findReports, hasCurrentInsights, type ReportWithChecks } from '../../store/reports/reports.ts';
import { commentIntervalMs, readIntervalMs, rememberedReportsMax, reportsAtATimeMax } from './limits.ts';

/** Changes of reports, in their order. */
export interface FeedBatch {
  /** Whether changes are missing, so that everything has to be read again. */
  readonly isReset: boolean;
  readonly changed: readonly { readonly report: ReportWithChecks; readonly lists: ListHints }[];
  readonly gone: readonly string[];
  /** The position up to which the subscriber has everything; null if more batches follow. */
  readonly cursor: ChangeCursor | null;
}

export interface FeedSubscriber {
  deliver(batch: FeedBatch): void;
  /** Called every `commentIntervalMs`. */
  beat(): void;
}

/** The changes of one account's reports, or of one report, for all streams of this process that follow them. */
export interface ReportFeed {
  /**
   * Adds a subscriber, which gets every change after this resolves.
   * @param since first delivers the changes since then; null if the position is unknown, absent if the subscriber is new
   */
  join(subscriber: FeedSubscriber, since?: ChangeCursor | null): Promise<void>;
  leave(subscriber: FeedSubscriber): void;
  /** Reads the changes soon, at most once per `readIntervalMs`. */
  wake(): void;
  close(): void;
}

const NOTHING: FeedBatch = { isReset: false, changed: [], gone: [], cursor: null };

/**
 * Creates a feed. It reads the changes since its last read from the database when it is woken, and periodically, so a change
 * whose announcement is lost is only delayed.
 */
export function createReportFeed(db: Database, source: ChangeSource, log: Logger): ReportFeed {
  const subscribers = new Set<FeedSubscriber>();
  const listsOf = rememberLists();
  // Ensures that a subscriber never gets an older state after a newer one.
  const inOrder = createSerialQueue();
  let cursor: ChangeCursor | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;

  /** Delivers the changes since a cursor. @returns where to continue */
  const deliverSince = async (
    since: ChangeCursor,
    to: Iterable<FeedSubscriber>,
    lists: (report: ReportWithChecks) => ListHints,
  ): Promise<ChangeCursor> => {
    const deliver = (batch: Partial<FeedBatch>): void => {
      for (const subscriber of to) subscriber.deliver({ ...NOTHING, ...batch });
    };
    const changes = await changesSince(db, source, since);
    const { changed, gone, isComplete, cursor: reached } = changes;
    const slices = changed.length === 0 ? [[]] : [...slicesOf(changed, reportsAtATimeMax)];
    for (const [index, ids] of slices.entries()) {
      const reports = ids.length === 0 ? [] : await findReports(db, ids);
      const batch = { changed: reports.map((report) => ({ report, lists: lists(report) })) };
      const isLast = index === slices.length - 1;
      deliver(isLast ? { ...batch, isReset: !isComplete, gone, cursor: reached } : batch);
    }
    return reached;
  };
  const read = (): void => {
    const reading = inOrder(async () => {
      readAt = performance.now();
      if (cursor !== null && subscribers.size > 0) cursor = await deliverSince(cursor, subscribers, listsOf);
    });
    reading.catch((error: unknown) =>
      log.warn({ reason: messageOf(error) }, 'Could not read changes of reports; will retry'),
    );
  };
  const beats = setInterval(() => {
    read();
    for (const subscriber of subscribers) subscriber.beat();
  }, commentIntervalMs);

  return {
    join: (subscriber, since) =>
      inOrder(async () => {
        // The next read delivers changes that happen after this one.
        cursor ??= await currentCursor(db);
        if (since === null) subscriber.deliver({ ...NOTHING, isReset: true, cursor });
        if (since) await deliverSince(since, [subscriber], () => ALL_LISTS);
        else if ('reportId' in source) await deliverReport(db, source.reportId, subscriber, cursor);
        else subscriber.deliver({ ...NOTHING, cursor });
        subscribers.add(subscriber);
      }),
    leave: (subscriber) => void subscribers.delete(subscriber),
    wake() {
      timer ??= setTimeout(
        () => {
          timer = null;
          read();
        },
        Math.max(0, readAt + readIntervalMs - performance.now()),
      );
    },
    close() {
      clearInterval(beats);
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Delivers the current state of a report. */
async function deliverReport(db: Database, id: string, to: FeedSubscriber, cursor: ChangeCursor): Promise<void> {
  const reports = await findReports(db, [id]);
  const changed = reports.map((report) => ({ report, lists: { webPages: false, commonIssues: false } }));
  to.deliver({ ...NOTHING, changed, gone: reports.length === 0 ? [id] : [], cursor });
}

/** Which lists of a report may have changed. */
interface ListHints {
  readonly webPages: boolean;
  readonly commonIssues: boolean;
}

const ALL_LISTS: ListHints = { webPages: true, commonIssues: true };

/**
 * Returns a function that reports which lists of a report may have changed since it was called with the same report: both if that
 * was too long ago or never happened.
 */
function rememberLists(): (report: ReportWithChecks) => ListHints {
  const remembered = remembering(rememberedReportsMax, (): { contents?: Contents } => ({}));
  return (report) => {
    const last = remembered(report.id);
    const before = last.contents;
    const now = contentsOf(report, before);
    last.contents = now;
    return {
      webPages: now.pages !== before?.pages,
      commonIssues: now.issues !== before?.issues || now.answers !== before.answers,
    };
  };
}

/** Values that change whenever the lists do: each check that ends sets the time. */
interface Contents {
  readonly pages: string;
  readonly issues: string;
  /** The transaction that computed the report's insights, or a later one; null before that. */
  readonly answers: string | null;
}

function contentsOf(report: ReportWithChecks, before: Contents | undefined): Contents {
  const { checks, num_pages: pages, last_checked_at: time } = report;
  const issues = Object.entries(checks).map(([kind, { errors, warnings }]) => [kind, errors, warnings]);
  return {
    pages: JSON.stringify([time, pages, checks]),
    issues: JSON.stringify([time, issues]),
    // Until the insights are computed again, the previous ones are shown.
    answers: hasCurrentInsights(report) ? report.changed_xid : (before?.answers ?? null),
  };
}
