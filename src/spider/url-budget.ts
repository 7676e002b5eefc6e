import { discoveredTextMaxBytes } from './limits.ts';

/** Room for the URLs that a sitemap lists, or several: no more than a report could keep. */
export interface UrlBudget {
  isFull(): boolean;
  take(url: string): void;
}

export function createUrlBudget(urlsMax: number): UrlBudget {
  let urls = 0;
  let textBytes = 0;
  return {
    isFull: () => urls >= urlsMax || textBytes >= discoveredTextMaxBytes,
    take(url) {
      urls += 1;
      textBytes += url.length;
    },
  };
}
