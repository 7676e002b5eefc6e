import { dropOldest, remembering } from '../../platform/remembering.ts';
import { createRateLimiter, type RateLimiter } from '../../spider/rate-limiter.ts';
import type { LinkAnswer } from './ask-link.ts';
import { rememberedAnswersMax, rememberedHostsMax, rememberedReportsMax } from './limits.ts';

/** State that the checks of a report's pages share in this process. */
export interface ReportMemory {
  /** Limits the requests of the report to a host. */
  limiterFor(host: string, requestsPerSecond: number): RateLimiter;
  /**
   * Returns the known answer for a link, or calls `ask`, so that a link on several pages is requested once. When a page is
   * rechecked, its links are requested again.
   */
  recall(link: string, ask: () => Promise<LinkAnswer>): Promise<LinkAnswer>;
}

/** Returns a function that returns the memory for a page of a report. Keeps only the most recent reports. */
export function createReportMemories(): (report: string, page: string) => ReportMemory {
  const memoryOf = remembering(rememberedReportsMax, () => ({
    pages: new Set<string>(),
    answers: new Map<string, Promise<LinkAnswer>>(),
    limiterFor: remembering(rememberedHostsMax, (_host, requestsPerSecond: number) =>
      createRateLimiter({ requestsPerSecond }),
    ),
  }));
  return (report, page) => {
    const { limiterFor, pages, answers } = memoryOf(report);
    const fresh = new Set<string>();
    const isRecheck = pages.has(page);
    pages.add(page);
    return {
      limiterFor,
      async recall(link, ask) {
        if (isRecheck && !fresh.has(link)) answers.delete(link);
        fresh.add(link);
        const known = answers.get(link);
        // The first request may have been cancelled.
        if (known !== undefined) return known.catch(ask);
        const asked = ask();
        answers.set(link, asked);
        dropOldest(answers, rememberedAnswersMax);
        asked.catch(() => answers.delete(link));
        return asked;
      },
    };
  };
}
