import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { claimCrawl, releaseCrawl } from '../queue/claims.ts';
import type { Worker } from '../queue/worker.ts';
import { type CrawlParts, crawlReport } from './crawl-report.ts';

/** Reports that one process crawls at a time. They mostly wait: for sites, and for their own rate limits. */
const CRAWLS_MAX = 32;
/** How long a crawl that broke off through a fault of ours rests before it is taken up again. */
const RETRY_DELAY_MS = 1_000;

/** Takes up the reports that wait for the spider, until stopped. */
export function startCrawling(parts: CrawlParts & { readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  const { db, worker, log } = parts;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  let isWorkLikely = true;

  const run = async (reportId: string, workerId: number): Promise<void> => {
    try {
      await crawlReport(parts, reportId, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) {
        log.error({ err: error, reportId }, 'A crawl broke off; it will be taken up again');
        await new Promise((done) => setTimeout(done, RETRY_DELAY_MS));
      }
    }
    await releaseCrawl(db, reportId, workerId).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), reportId }, 'Could not give a crawl back');
    });
  };

  const fill = async (): Promise<void> => {
    while (isWorkLikely && running.size < CRAWLS_MAX && !stopping.signal.aborted) {
      isWorkLikely = false;
      const workerId = worker.id();
      const reportId = await claimCrawl(db, workerId);
      if (reportId === null) return;
      isWorkLikely = true;
      const task = run(reportId, workerId).finally(() => {
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
