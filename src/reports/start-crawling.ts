import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { type ClaimedCrawl, claimCrawl, releaseCrawl } from '../queue/claims.ts';
import type { Worker } from '../queue/worker.ts';
import { noteCrawlFailure } from '../store/crawl-progress.ts';
import { type CrawlParts, crawlReport } from './crawl-report.ts';

/** Reports that one process crawls at a time. They mostly wait: for sites, and for their own rate limits. */
const CRAWLS_MAX = 128;
/** How long a crawl that broke off through a fault of ours rests before it is taken up again. */
const RETRY_DELAY_MS = 1_000;
/** A crawl that broke off this often without getting on, or whose process died of it, is given up. */
const CRAWL_FAILURES_MAX = 6;

/** Takes up the reports that wait for the spider, until stopped. */
export function startCrawling(parts: CrawlParts & { readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  const { db, worker, log } = parts;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  let isWorkLikely = true;

  const run = async (claim: ClaimedCrawl, signal: AbortSignal): Promise<void> => {
    let counts = true;
    try {
      if (claim.attempts > CRAWL_FAILURES_MAX) throw new Error('Its process ended before the crawl got on, every time');
      await crawlReport(parts, claim, signal);
    } catch (error) {
      counts = !signal.aborted;
      if (counts) await recover(claim, error);
    }
    await releaseCrawl(db, claim, counts).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), reportId: claim.reportId }, 'Could not give a crawl back');
    });
  };

  /** Rests before the crawl is taken up again, ever longer, so that no fault of ours becomes a burst on the site. */
  const recover = async (claim: ClaimedCrawl, error: unknown): Promise<void> => {
    const { reportId } = claim;
    log.error({ err: error, reportId }, 'A crawl broke off');
    const failures = await noteCrawlFailure(db, claim, CRAWL_FAILURES_MAX).catch(() => 1);
    const restMs = RETRY_DELAY_MS * 2 ** (failures - 1);
    if (failures < CRAWL_FAILURES_MAX)
      await delay(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  };

  const fill = async (): Promise<void> => {
    while (isWorkLikely && running.size < CRAWLS_MAX && !stopping.signal.aborted) {
      isWorkLikely = false;
      // Taken before the claim: one that is made under a lost membership ends with it.
      const signal = AbortSignal.any([stopping.signal, worker.membership()]);
      const claim = await claimCrawl(db, worker.id());
      if (claim === null) return;
      isWorkLikely = true;
      const task = run(claim, signal).finally(() => {
        running.delete(task);
        isWorkLikely = true;
        pump();
      });
      running.add(task);
    }
  };

  const pump = (): void => {
    if (filling !== null || stopping.signal.aborted) return;
    filling = fill()
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'Could not take up reports; will try again'))
      .then(() => {
        filling = null;
        if (isWorkLikely && running.size < CRAWLS_MAX) pump();
      });
  };

  const off = worker.onWork('crawl', () => {
    isWorkLikely = true;
    pump();
  });
  pump();

  return {
    async stop() {
      off();
      stopping.abort();
      await filling;
      await Promise.all(running);
    },
  };
}
