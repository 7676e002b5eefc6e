import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { livenessIntervalMs, livenessTimeoutMs, readinessTimeoutMs } from './limits.ts';
import type { BrowserMemory } from './memory-watch.ts';
import { createPageSlot, type PageSlot } from './page-slot.ts';

/** A running browser process and its page slots. */
export interface LiveBrowser {
  /** Takes a free slot, preferably one that has the group's HTTP cache. */
  take(cacheGroup: string): PageSlot;
  giveBack(slot: PageSlot): void;
  /** Collects garbage in the empty pages of free slots that have shown `pagesMin` documents since the last time. Never rejects. */
  collectGarbage(pagesMin: number): Promise<void>;
  /** Whether it should be replaced because of its age or its memory. */
  isWornOut(): boolean;
  /** The latest measurement, in bytes. */
  memoryBytes(): number;
  /** Quits once its open pages have ended. */
  retire(): void;
  isGone(): boolean;
  /** Calls back when the browser ends for any reason, or at once if it has ended. Returns a function that unsubscribes. */
  onGone(listener: () => void): () => void;
  killedForMemory(): ReturnType<BrowserMemory['killedForMemory']>;
  /** Whether the browser answers in time. On a busy machine, a healthy one may not. */
  answers(): Promise<boolean>;
  kill(): Promise<void>;
  quit(): Promise<void>;
}

/** @param pagesMax number of pages after which the browser should be replaced */
export function superviseBrowser(
  chromium: RunningChromium,
  slots: number,
  pagesMax: number,
  memory: BrowserMemory,
  log: Logger,
): LiveBrowser {
  const free = Array.from({ length: slots }, () => createPageSlot(chromium));
  const listeners = new Set<() => void>();
  let pages = 0;
  let gone = false;
  let retiring = false;
  chromium.browser.on('disconnected', () => {
    memory.end();
    gone = true;
    for (const listener of listeners) listener();
    void chromium.kill();
  });
  void watchLife();

  async function watchLife(): Promise<void> {
    for (;;) {
      await delay(livenessIntervalMs, undefined, { ref: false });
      if (gone) return;
      if (await answersWithin(chromium, livenessTimeoutMs)) continue;
      if (!gone) log.warn('The browser stopped responding and was killed.');
      return chromium.kill();
    }
  }

  function quitWhenIdle(): void {
    if (retiring && free.length === slots) void chromium.quit();
  }

  return {
    take(cacheGroup) {
      pages += 1;
      // The most recently used slot has the warmest caches, and idle ones stay idle.
      const known = free.findLastIndex((slot) => slot.hasCacheOf(cacheGroup));
      const [slot] = free.splice(Math.max(known, 0), 1);
      if (slot === undefined) throw new Error('There are more open pages than slots.');
      return slot;
    },
    giveBack(slot) {
      free.push(slot);
      quitWhenIdle();
    },
    async collectGarbage(pagesMin) {
      await Promise.all(free.map((slot) => slot.collectGarbage(pagesMin)));
    },
    isWornOut: () => pages >= pagesMax || memory.isWorn(),
    memoryBytes: memory.bytes,
    retire() {
      retiring = true;
      quitWhenIdle();
    },
    isGone: () => gone,
    onGone(listener) {
      listeners.add(listener);
      if (gone) listener();
      return () => listeners.delete(listener);
    },
    killedForMemory: memory.killedForMemory,
    answers: () => answersWithin(chromium, readinessTimeoutMs),
    kill: chromium.kill,
    quit: chromium.quit,
  };
}

function answersWithin(chromium: RunningChromium, timeoutMs: number): Promise<boolean> {
  return Promise.race([ask(chromium), delay(timeoutMs, false, { ref: false })]);
}

async function ask(chromium: RunningChromium): Promise<boolean> {
  try {
    const session = await chromium.browser.newBrowserCDPSession();
    await session.send('Browser.getVersion');
    await session.detach();
    return true;
  } catch {
    return false;
  }
}
