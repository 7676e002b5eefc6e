import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';

/** Requests that are meant to stay open, or that a page does not show. */
const NEVER_ENDING = new Set(['websocket', 'eventsource', 'media', 'ping', 'texttrack']);

/** What a page, with its frames, is loading. */
export interface RequestWatch {
  /** The URL of the request that has been under way for longest, or null. */
  oldestPending(): string | null;
  /**
   * Waits until nothing has been under way for `quietMs`, at most `limitMs`. Does not wait at all when nothing is under
   * way to begin with: waiting for silence on every page would halve the speed.
   */
  quiet(quietMs: number, limitMs: number): Promise<void>;
  end(): void;
}

const POLL_MS = 10;

export function watchRequests(page: Page): RequestWatch {
  const pending = new Set<Request>();
  const begin = (request: Request): void => {
    if (!NEVER_ENDING.has(request.resourceType())) pending.add(request);
  };
  const finish = (request: Request): void => {
    pending.delete(request);
  };
  page.on('request', begin);
  page.on('requestfinished', finish);
  page.on('requestfailed', finish);
  return {
    oldestPending() {
      const [oldest] = pending;
      return oldest?.url() ?? null;
    },
    async quiet(quietMs, limitMs) {
      if (pending.size === 0) return;
      const deadline = performance.now() + limitMs;
      let quietSince: number | null = null;
      while (performance.now() < deadline) {
        if (pending.size > 0) quietSince = null;
        else quietSince ??= performance.now();
        if (quietSince !== null && performance.now() - quietSince >= quietMs) return;
        await delay(POLL_MS);
      }
    },
    end() {
      page.off('request', begin);
      page.off('requestfinished', finish);
      page.off('requestfailed', finish);
    },
  };
}
