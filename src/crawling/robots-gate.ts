import type { Failure } from '../domain/failures/failure.ts';
import type { FetchRobots, Robots } from '../spider/robots.ts';

/** Checks URLs against the robots.txt of their origins. Each file is fetched once in a crawl, before the first request to its origin. */
export interface RobotsGate {
  /** Returns why a URL must not be requested; null if it may be. */
  refusalOf(url: string): Promise<Failure | null>;
  /** Returns the sitemaps that the robots.txt of a URL's origin names, and the URL of that file. */
  sitemapsFor(url: string): Promise<{ readonly robotsUrl: string; readonly sitemaps: readonly string[] }>;
}

/** Allows everything and fetches nothing: for reports that do not respect robots.txt. */
export const OPEN_GATE: RobotsGate = {
  refusalOf: async () => null,
  sitemapsFor: async (url) => ({ robotsUrl: url, sitemaps: [] }),
};

/** Also slows the crawl down to the `Crawl-delay` of the files that it fetches. */
export function createRobotsGate(fetchRobots: FetchRobots, options: Parameters<FetchRobots>[1]): RobotsGate {
  const { limiter } = options;
  const known = new Map<string, Promise<Robots>>();

  const robotsAt = (robotsUrl: string): Promise<Robots> => {
    const earlier = known.get(robotsUrl);
    if (earlier !== undefined) return earlier;
    const robots = fetchRobots(robotsUrl, options).then((found) => {
      limiter.spaceOut(found.crawlDelayMs);
      return found;
    });
    known.set(robotsUrl, robots);
    return robots;
  };
  const robotsUrlOf = (url: string): string => new URL('/robots.txt', url).href;

  return {
    refusalOf: async (url) => (await robotsAt(robotsUrlOf(url))).refusalOf(url),
    async sitemapsFor(url) {
      const robotsUrl = robotsUrlOf(url);
      return { robotsUrl, sitemaps: (await robotsAt(robotsUrl)).sitemaps };
    },
  };
}
