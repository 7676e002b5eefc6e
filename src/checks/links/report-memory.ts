import { createByteBoundedMap, remembering } from '../../platform/remembering.ts';
import { createRateLimiter, type RateLimiter } from '../../spider/rate-limiter.ts';
import type { LinkAnswer } from './ask-link.ts';
import { rememberedEntryBytes, rememberedHostsMax, rememberedPerReportBytes, rememberedReportsMax } from './limits.ts';

/** State that the checks of a report's pages share in this process. */
export interface ReportMemory {
  /** Limits the requests of the report to a host. */
  limiterFor(host: string, requestsPerSecond: number): RateLimiter;
  /**
   * Returns the known answer for a link, or calls `ask`, so that a link on several pages is requested once, unless its answer has
   * been forgotten. When a page is rechecked, its links are requested again.
   */
  recall(link: string, ask: () => Promise<LinkAnswer>): Promise<LinkAnswer>;
}

/** Returns a function that returns the memory for a page of a report. Keeps only the most recent reports. */
export function createReportMemories(): (report: string, page: string) => ReportMemory {
  const memoryOf = remembering(rememberedReportsMax, () => ({
    // Pages and links share the limit, so a page is forgotten together with the links that it was the first to have.
    known: createByteBoundedMap<Promise<LinkAnswer> | 'page'>(rememberedPerReportBytes),
    limiterFor: remembering(rememberedHostsMax, (_host, requestsPerSecond: number) =>
      createRateLimiter({ requestsPerSecond }),
    ),
  }));
  return (report, page) => {
    const { limiterFor, known } = memoryOf(report);
    const fresh = new Set<string>();
    // No URL contains a space.
    const pageKey = `page ${page}`;
    const isRecheck = known.get(pageKey) !== undefined;
    known.set(pageKey, 'page', rememberedEntryBytes + pageKey.length);
    return {
      limiterFor,
      async recall(link, ask) {
        if (isRecheck && !fresh.has(link)) known.delete(link);
        fresh.add(link);
        const answer = known.get(link);
        // The first request may have been cancelled.
        if (answer !== undefined && answer !== 'page') return answer.catch(ask);
        const asked = ask();
        const isKnown = (): boolean => known.get(link) === asked;
        known.set(link, asked, sizeOf(link));
        asked.then(
          // The final URL is known only now.
          (answered) => isKnown() && known.set(link, asked, sizeOf(link, answered)),
          () => isKnown() && known.delete(link),
        );
        return asked;
      },
    };
  };
}

/** Returns the bytes that a link and its answer take. URLs are ASCII. */
function sizeOf(link: string, answer?: LinkAnswer): number {
  const finalUrl = answer !== undefined && 'url' in answer && answer.url !== link ? answer.url : '';
  return rememberedEntryBytes + link.length + finalUrl.length;
}
