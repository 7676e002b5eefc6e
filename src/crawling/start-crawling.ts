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

/** Reports that one process crawls at a time. They mostly wait: for sites, and for their own rate limits. */
const CRAWLS_MAX = 128;
/** How long a crawl that broke off through a fault of ours rests before it is taken up again. */
const RETRY_DELAY_MS = 1_000;
/** A crawl that broke off this often without getting on, or whose process died of it, is given up. */
const CRAWL_FAILURES_MAX = 6;

interface MemberCrawl extends HostedCrawl {
  /** Aborted when the claim is lost. */
  readonly membership: AbortSignal;
}

export interface CrawlingParts extends CrawlParts {
  readonly worker: Worker;
  readonly hosts: CrawledHosts;
  /** How many reports of an account are crawled at a time. */
  readonly planLimits: CrawlCaps['ofPlans'];
  readonly log: Logger;
}

/** Takes up the reports that wait for the spider, until stopped. */
export function startCrawling(parts: CrawlingParts): { stop(): Promise<void> } {
  const { db, worker, hosts, log } = parts;
  const caps = { ofPlans: parts.planLimits, ofProcess: CRAWLS_MAX };

  const claim = async (): Promise<MemberCrawl[]> => {
    // Taken before the claim: one that is made under a lost membership ends with it.
    const membership = worker.membership();
    const claimed = await hosts.claim(() => claimCrawl(db, worker.id(), caps));
    return claimed === null ? [] : [{ ...claimed, membership }];
  };

  /** However long the database is away, since the claim of a living worker is freed by nobody else. Never rejects. */
  const giveBack = (crawl: MemberCrawl, counts: boolean, signal: AbortSignal): Promise<void> => {
    const failure = 'Could not give a crawl back';
    return waitOut(() => releaseCrawl(db, crawl, counts), { signal, log, failure }).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), reportId: crawl.reportId }, failure);
    });
  };

  const run = async (crawl: MemberCrawl, { signal: stopping }: RunMeans): Promise<void> => {
    const signal = AbortSignal.any([stopping, crawl.membership]);
    let counts = true;
    try {
      if (crawl.attempts > CRAWL_FAILURES_MAX) throw new Error('Its process ended before the crawl got on, every time');
      await crawlReport(parts, crawl, signal);
    } catch (error) {
      counts = !signal.aborted && !isPassing(error) && !(error instanceof HostElsewhere);
      if (counts) await recover(crawl, error, stopping);
      else if (isPassing(error) && !signal.aborted) await waitForDatabase(crawl, error, stopping);
    }
    crawl.hostUser.leave();
    await giveBack(crawl, counts, stopping);
    // It may be taken up again, or let another of those that this process has one of at a time.
    consumer.wake();
  };

  /** Rests before the crawl is taken up again, ever longer, so that no fault of ours becomes a burst on the site. */
  const recover = async (crawl: MemberCrawl, error: unknown, stopping: AbortSignal): Promise<void> => {
    const { reportId } = crawl;
    log.error({ err: error, reportId }, 'A crawl broke off');
    const failure = 'Could not note that a crawl broke off';
    const noted = waitOut(() => recordCrawlFailure(db, crawl, CRAWL_FAILURES_MAX), { signal: stopping, log, failure });
    const failures = await noted.catch(() => 1);
    const restMs = RETRY_DELAY_MS * 2 ** (failures - 1);
    if (failures < CRAWL_FAILURES_MAX) await delay(restMs, undefined, { signal: stopping }).catch(() => undefined);
  };

  /** A database that is away or cannot write is no fault of the crawl, which goes on where it was when it is given back. */
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
