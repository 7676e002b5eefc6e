import type { CDPSession } from 'playwright-core';
import { routesPerPageMax } from './limits.ts';

/** The addresses that a page gives itself without leaving: `pushState`, `replaceState`, `navigation.navigate`. */
export interface RouteWatch {
  /** Those of a frame, in the order in which it came to them, at most `routesPerPageMax` of all frames. */
  of(frameId: string): string[];
  end(): void;
}

/** Listens from outside, so that nothing in the page changes for it. */
export function watchRoutes(cdp: CDPSession): RouteWatch {
  const routes = new Map<string, string>();
  const listen = ({ frameId, url }: { readonly frameId: string; readonly url: string }): void => {
    if (routes.size < routesPerPageMax) routes.set(`${frameId} ${url}`, url);
  };
  cdp.on('Page.navigatedWithinDocument', listen);
  return {
    of: (frameId) => [...routes].flatMap(([key, url]) => (key.startsWith(`${frameId} `) ? [url] : [])),
    end: () => void cdp.off('Page.navigatedWithinDocument', listen),
  };
}
