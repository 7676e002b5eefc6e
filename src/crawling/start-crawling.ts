import { setTimeout as delay } from 'node:timers/promises';
import { isPassing, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { claimCrawl, releaseCrawl } from '../queue/claims.ts';
import { type RunMeans, startConsumer } from '../queue/consumer.ts';
import type { CrawlCaps } from '../queue/fair-shares.ts';
import type { Worker } from '../queue/worker.ts';
import { recordCrawlFailure } from '../store/report-end.ts';
import { type CrawlParts, crawlReport } from './crawl-report.ts';
import { type CrawledHosts, HostElsewhere, type HostedCrawl } from './crawled-hosts.ts';

/** Reports that one process crawls at a time. They mostly wait for sites and rate limits. */
const CRAWLS_MAX = 128;
/** How long a crawl rests after an unexpected error before it is claimed again. */
const RETRY_DELAY_MS = 1_000;
/** A crawl that failed this often without progress, or whose process ended each time, is given up. */
const CRAWL_FAILURES_MAX = 6;

interface MemberCrawl extends HostedCrawl {
  /** Aborted when the claim is lost. */
  readonly membership: AbortSignal;
}

export interface CrawlingParts extends CrawlParts {
  readonly worker: Worker;
  readonly hosts: CrawledHosts;
  /** How many reports of an account are crawled at a time, by plan. */
  readonly planLimits: CrawlCaps['ofPlans'];
  readonly log: Logger;
}

/** Crawls the reports that wait for it, until stopped. */
export function startCrawling(parts: CrawlingParts): { stop(): Promise<void> } {
  const { db, worker, hosts, log } = parts;
  const caps = { ofPlans: parts.planLimits, ofProcess: CRAWLS_MAX };

  const claim = async (): Promise<MemberCrawl[]> => {
    // Read before the claim, so that a claim made after the membership was lost ends too.
    const membership = worker.membership();
    const claimed = await hosts.claim(() => claimCrawl(db, worker.id(), caps));
    return claimed === null ? [] : [{ ...claimed, membership }];
  };

  /** Releases a claim, and waits for the database as long as it takes: nothing else frees the claims of a live worker. Never rejects. */
  const giveBack = (crawl: MemberCrawl, counts: boolean, signal: AbortSignal): Promise<void> => {
    const failure = 'Could not release a crawl';
    return waitOut(() => releaseCrawl(db, crawl, counts), { signal, log, failure }).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), reportId: crawl.reportId }, failure);
    });
  };

  const run = async (crawl: MemberCrawl, { signal: stopping }: RunMeans): Promise<void> => {
    const signal = AbortSignal.any([stopping, crawl.membership]);
    let counts = true;
    try {
      if (crawl.attempts > CRAWL_FAILURES_MAX)
        throw new Error('Its process ended each time before the crawl made progress');
      await crawlReport(parts, crawl, signal);
    } catch (error) {
      counts = !signal.aborted && !isPassing(error) && !(error instanceof HostElsewhere);
      if (counts) await recover(crawl, error, stopping);
      else if (isPassing(error) && !signal.aborted) await waitForDatabase(crawl, error, stopping);
    }
    crawl.hostUser.leave();
    await giveBack(crawl, counts, stopping);
    // This crawl, or another one that had to wait for it, can be claimed now.
    consumer.wake();
  };

  /** Rests before the crawl is claimed again, longer each time, so that our errors do not flood the site with requests. */
  const recover = async (crawl: MemberCrawl, error: unknown, stopping: AbortSignal): Promise<void> => {
    const { reportId } = crawl;
    log.error({ err: error, reportId }, 'A crawl failed');
    const failure = 'Could not note that a crawl failed';
    const noted = waitOut(() => recordCrawlFailure(db, crawl, CRAWL_FAILURES_MAX), { signal: stopping, log, failure });
    const failures = await noted.catch(() => 1);
    const restMs = RETRY_DELAY_MS * 2 ** (failures - 1);
    if (failures < CRAWL_FAILURES_MAX) await delay(restMs, undefined, { signal: stopping }).catch(() => undefined);
  };

  /** An unavailable or read-only database is no failure of the crawl, which continues where it was when it is claimed again. */
  const waitForDatabase = async ({ reportId }: MemberCrawl, error: unknown, stopping: AbortSignal): Promise<void> => {
    log.warn({ reason: messageOf(error), reportId }, 'A crawl waits for the database');
    await delay(RETRY_DELAY_MS, undefined, { signal: stopping }).catch(() => undefined);
  };

  const consumer = startConsumer(parts, {
    topic: 'crawl',
    concurrency: CRAWLS_MAX,
    batch: 1,
    ahead: 0,
    claim,
    run,
    giveBack: (crawl) => giveBack(crawl, false, AbortSignal.abort()),
  });
  return { stop: consumer.stop };
}
