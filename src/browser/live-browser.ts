import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { livenessIntervalMs, livenessTimeoutMs, readinessTimeoutMs } from './limits.ts';
import type { BrowserMemory } from './memory-watch.ts';
import { createPageSlot, type PageSlot } from './page-slot.ts';

/** One browser process with its slots, from its start to its end. */
export interface LiveBrowser {
  /** A free slot, rather one that knows the group. It stays taken until it is given back. */
  take(cacheGroup: string): PageSlot;
  giveBack(slot: PageSlot): void;
  /** Has the empty pages of free slots collect their garbage. Never rejects. */
  collectGarbage(): Promise<void>;
  /** Whether its place is to be taken by a new browser, because of its age or its memory. */
  isWornOut(): boolean;
  /** Bytes, as measured last. */
  memoryBytes(): number;
  /** Lets the pages in it come to their end, then quits. */
  retire(): void;
  isGone(): boolean;
  /** Calls back when the browser ends, however it ends; at once when it has ended. The result unsubscribes. */
  onGone(listener: () => void): () => void;
  endedForMemory(): ReturnType<BrowserMemory['endedForMemory']>;
  /** Whether the browser answers right now. On a busy machine a sound one may take longer. */
  answers(): Promise<boolean>;
  kill(): Promise<void>;
  quit(): Promise<void>;
}

/** @param pagesMax pages after which the browser is replaced */
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
      if (!gone) log.warn('The browser gave no sign of life and was killed.');
      return chromium.kill();
    }
  }

  function quitWhenIdle(): void {
    if (retiring && free.length === slots) void chromium.quit();
  }

  return {
    take(cacheGroup) {
      pages += 1;
      // The one used last: its caches are warm, and the others stay asleep.
      const known = free.findLastIndex((slot) => slot.knows(cacheGroup));
      const [slot] = free.splice(Math.max(known, 0), 1);
      if (slot === undefined) throw new Error('More pages at a time than slots.');
      return slot;
    },
    giveBack(slot) {
      free.push(slot);
      quitWhenIdle();
    },
    async collectGarbage() {
      await Promise.all(free.map((slot) => slot.collectGarbage()));
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
    endedForMemory: memory.endedForMemory,
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
