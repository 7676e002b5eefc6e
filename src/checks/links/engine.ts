import { hostOf } from '../../domain/host-name.ts';
import { signsOut } from '../../domain/session-urls.ts';
import { NO_ACCESS } from '../../domain/site-access.ts';
import type { HttpClient } from '../../egress/http-client.ts';
import { HttpFault } from '../../egress/http-fault.ts';
import { defaultRestMs, restMaxMs } from '../../egress/limits.ts';
import { busyForMs } from '../../egress/response-head.ts';
import { createByteBoundedMap, remembering } from '../../platform/bounded-cache.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { untilCalled } from '../../platform/until-called.ts';
import { createCookieJar } from '../../spider/cookie-jar.ts';
import { deviceUserAgent, requestHeaders, withCookies } from '../../spider/credentials.ts';
import { createExclusions } from '../../spider/exclusion-matcher.ts';
import { extractLinks } from '../../spider/extract-links.ts';
import { requestInSlot } from '../../spider/limited-request.ts';
import {
  createRateLimiter,
  limitedBy,
  type RateLimiter,
  type RequestLimiter,
  type SharedLimiters,
} from '../../spider/rate-limiter.ts';
import type { CheckInput, EngineRuntime } from '../check-engine.ts';
import { type AskOnce, askLink, type LinkAnswer, NO_BODY, orFault, type PageLinksAnswered } from './ask-link.ts';
import { doubtsIn } from './doubts-in.ts';
import { type Asker, createHostLookups, isPassingNameFault } from './host-lookups.ts';
import {
  foreignRequestsPerSecond,
  LINK_LIMITS,
  type LinkLimits,
  linkPagesMax,
  linksAtATimeMax,
  rememberedEntryBytes,
  rememberedHostsMax,
  rememberedPerReportBytes,
  rememberedReportsMax,
} from './limits.ts';

export interface LinkEngineOptions {
  readonly httpClient: HttpClient;
  readonly limiters: SharedLimiters;
  /** Overrides of `LINK_LIMITS`. */
  readonly limits?: Partial<LinkLimits>;
}

/** Creates the link check: requests the links of a document, within the rate limit of each host. */
export function createLinkEngine({ httpClient, limiters, ...options }: LinkEngineOptions): EngineRuntime {
  const limits = { ...LINK_LIMITS, ...options.limits };
  const memoryFor = createReportMemories();
  const semaphore = createSemaphore(linkPagesMax);
  const lookups = createHostLookups(httpClient, limits.lookUpAgainAfterMs);
  let isStarted = false;

  async function answersOf(input: CheckInput, signal: AbortSignal): Promise<PageLinksAnswered> {
    const urls = linksToAsk(input);
    const memory = memoryFor(input.cacheGroup, input.document.url);
    const limiterFor = limitersFor(input, memory, limiters);
    const pageSignal = AbortSignal.any([signal, AbortSignal.timeout(limits.pageTimeoutMs)]);
    const headersFor = await headersOf(input, httpClient.userAgent);
    const asker: Asker = { report: input.cacheGroup, since: memory.lookedUpSince, signal: pageSignal };
    const ask: AskOnce = async (url, method) => {
      const send = () => askInTurn(limiterFor(url), { url, method, headers: headersFor(url) }, pageSignal);
      await lookups.require(url, asker);
      try {
        return await send();
      } catch (error) {
        if (!isPassingNameFault(error)) throw error;
        // The name servers have stopped responding since the lookup.
        await lookups.require(url, { ...asker, since: performance.now() });
        return send();
      }
    };
    const requests = createSemaphore(linksAtATimeMax);
    const askLater = async (url: string): Promise<LinkAnswer> => {
      // The lookup does not count as a running request, so that other links do not wait for its name servers.
      const unknown = await orFault(lookups.require(url, asker));
      if (unknown instanceof HttpFault) return { kind: 'fault', reason: unknown.reason, url };
      const release = await requests.acquire('links', pageSignal);
      return askLink(url, ask).finally(release);
    };
    const answers = new Map<string, LinkAnswer>();
    const asked = urls.slice(0, limits.linksPerPageMax).map(async (url) => {
      answers.set(url, await memory.recall(url, () => askLater(url)));
    });
    try {
      await Promise.race([Promise.all(asked), untilCalled<never>(pageSignal, () => () => undefined)]);
    } catch (error) {
      signal.throwIfAborted();
      // The remaining links count as not checked.
      if (!pageSignal.aborted) throw error;
    }
    const links = urls.map((url) => ({ url, answer: answers.get(url) ?? ({ kind: 'not_checked' } as const) }));
    for (const doubt of doubtsIn(links, input.signIn)) input.signIn?.onDoubt?.(doubt);
    return { links };
  }

  async function askInTurn(
    limiter: RequestLimiter,
    request: Pick<Parameters<HttpClient['request']>[0], 'url' | 'method' | 'headers'>,
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<AskOnce>>> {
    const slot = await limiter.acquire(signal, request.url);
    const tooSlow = AbortSignal.timeout(limits.requestTimeoutMs);
    try {
      const head = await requestInSlot(httpClient, slot, {
        ...NO_BODY,
        ...request,
        signal: AbortSignal.any([signal, tooSlow]),
      });
      const restMs = busyForMs(head, Date.now(), defaultRestMs);
      if (restMs !== null) limiter.slowDown(Math.min(restMs, restMaxMs));
      return head;
    } catch (error) {
      signal.throwIfAborted();
      throw tooSlow.aborted ? new HttpFault('request_timeout', { cause: error }) : error;
    }
  }

  return {
    concurrency: linkPagesMax,
    waitsForOthers: true,
    async start() {
      isStarted = true;
    },
    isReady: async () => isStarted,
    async stop() {
      isStarted = false;
    },
    async collect(input, signal) {
      const release = await semaphore.acquire('check', signal, input.alone);
      const answers = await answersOf(input, signal).finally(release);
      return Buffer.from(JSON.stringify(answers));
    },
  };
}

/** Returns a function for the limiter of a URL: the report's rate applies to the host of the page, and a fixed rate to others. */
function limitersFor(
  { document, cacheGroup, payerId = cacheGroup, requestsPerSecond = 1 }: CheckInput,
  memory: ReportMemory,
  limiters: SharedLimiters,
): (url: string) => RequestLimiter {
  return (url) => {
    const host = hostOf(url);
    const ofHost = limiters.forHost(host, payerId);
    if (host !== hostOf(document.url)) return limitedBy(memory.limiterFor(host, foreignRequestsPerSecond), ofHost);
    const ofReport = limiters.forReport(cacheGroup, requestsPerSecond);
    return limitedBy(memory.limiterFor(host, requestsPerSecond), ofReport, ofHost);
  };
}

/** Returns the links of a page without the page itself, excluded URLs, and URLs that sign out. */
function linksToAsk({ document, signIn, exclusions = [] }: CheckInput): readonly string[] {
  const { exclusionOf } = createExclusions(exclusions);
  const { links, signOuts } = extractLinks(document);
  const endsSession = (url: string): boolean => signIn !== undefined && (signsOut(url) || signOuts.includes(url));
  return links.filter((url) => url !== document.url && exclusionOf(url) === null && !endsSession(url));
}

/** Returns a function for the headers of a URL, as the spider sends them: credentials go only to the site's own origins. */
async function headersOf(
  { viewport, signIn }: CheckInput,
  ownUserAgent: string,
): Promise<(url: string) => Record<string, string>> {
  const headers = requestHeaders(signIn?.access ?? NO_ACCESS, deviceUserAgent(viewport, ownUserAgent));
  const jar = signIn?.session && (await createCookieJar(signIn.session.cookies));
  const isOwn = (url: string): boolean => signIn?.origins.has(new URL(url).origin) ?? false;
  return (url) => ({ accept: '*/*', ...(isOwn(url) ? withCookies(headers.inside, jar, url) : headers.elsewhere) });
}

/** State that the checks of a report's pages share in this process. */
export interface ReportMemory {
  /**
   * Name lookups that ended before this time are not used: the start of a re-check, or 0. In milliseconds of `performance.now()`.
   */
  readonly lookedUpSince: number;
  /** Limits the requests of the report to a host. */
  limiterFor(host: string, requestsPerSecond: number): RateLimiter;
  /**
   * Returns the known result for a link, or calls `ask`, so that a link on several pages is requested once, unless its result has
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
      lookedUpSince: isRecheck ? performance.now() : 0,
      limiterFor,
      async recall(link, ask) {
        if (isRecheck && !fresh.has(link)) known.delete(link);
        fresh.add(link);
        const answer = known.get(link);
        // The first request may have been canceled.
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

/** Returns the bytes that a link and its result take. URLs are ASCII. */
function sizeOf(link: string, answer?: LinkAnswer): number {
  const finalUrl = answer !== undefined && 'url' in answer && answer.url !== link ? answer.url : '';
  return rememberedEntryBytes + link.length + finalUrl.length;
}
