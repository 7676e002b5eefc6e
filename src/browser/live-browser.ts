import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/logger.ts';
import type { RunningChromium } from './launch-chromium.ts';
import { memorySampleCloseMs, memorySampleIntervalMs, readinessTimeoutMs } from './limits.ts';
import { createPageSlot, type PageSlot } from './page-slot.ts';
import { groupMembers, killHard } from './process-group.ts';

export interface BrowserLimits {
  /** Pages after which the browser is replaced. */
  readonly pages: number;
  /** Memory after which the browser is replaced once its pages have ended, in bytes. */
  readonly memoryBytes: number;
  /** Memory at which the largest page is ended at once, in bytes. */
  readonly memoryHardBytes: number;
}

/** One browser process with its slots, from its start to its end. */
export interface LiveBrowser {
  /** A free slot, rather one that knows the group. It stays taken until it is given back. */
  take(cacheGroup: string): PageSlot;
  giveBack(slot: PageSlot): void;
  /** Whether its place is to be taken by a new browser, because of its age or its memory. */
  isWornOut(): boolean;
  /** As measured last, within the last second. */
  memoryBytes(): number;
  /** Lets the pages in it come to their end, then quits. */
  retire(): void;
  isGone(): boolean;
  /** Calls back when the browser ends, however it ends; at once when it has ended. The result unsubscribes. */
  onGone(listener: () => void): () => void;
  /** What was ended within the last seconds because of its memory: a page, or the whole browser; null for nothing. */
  endedForMemory(): 'page' | 'browser' | null;
  /** Whether the browser answers. One that does not is killed. */
  answers(): Promise<boolean>;
  kill(): Promise<void>;
  quit(): Promise<void>;
}

/** How long after ending a page for its memory a crash is put down to that. */
const memoryVerdictMs = 10_000;

export function superviseBrowser(
  chromium: RunningChromium,
  slots: number,
  limits: BrowserLimits,
  log: Logger,
): LiveBrowser {
  const free = Array.from({ length: slots }, () => createPageSlot(chromium));
  const listeners = new Set<() => void>();
  let pages = 0;
  let gone = false;
  let retiring = false;
  let memoryBytes = 0;
  let overMemory = false;
  let endedForMemory: { readonly what: 'page' | 'browser'; readonly at: number } | null = null;

  let timer = setTimeout(watchMemory, memorySampleIntervalMs).unref();
  chromium.browser.on('disconnected', () => {
    clearTimeout(timer);
    gone = true;
    for (const listener of listeners) listener();
    void chromium.kill();
  });

  async function watchMemory(): Promise<void> {
    const members = await groupMembers(chromium.pid);
    const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
    memoryBytes = bytes;
    overMemory ||= bytes > limits.memoryBytes;
    if (gone) return;
    const isClose = bytes > limits.memoryHardBytes / 4;
    timer = setTimeout(watchMemory, isClose ? memorySampleCloseMs : memorySampleIntervalMs).unref();
    if (bytes <= limits.memoryHardBytes) return;
    const largest = members.filter((member) => member.isRenderer).sort((a, b) => b.bytes - a.bytes)[0];
    // The page alone when it is the one that holds the memory, else everything.
    const target = largest !== undefined && largest.bytes > bytes / 2 ? largest.pid : -chromium.pid;
    endedForMemory = { what: target < 0 ? 'browser' : 'page', at: Date.now() };
    log.warn(
      { bytes, limit: limits.memoryHardBytes, wholeBrowser: target < 0 },
      'A page took too much memory and was ended.',
    );
    killHard(target);
  }

  function quitWhenIdle(): void {
    if (retiring && free.length === slots) void chromium.quit();
  }

  return {
    take(cacheGroup) {
      pages += 1;
      const known = free.findIndex((slot) => slot.knows(cacheGroup));
      const [slot] = free.splice(Math.max(known, 0), 1);
      if (slot === undefined) throw new Error('More pages at a time than slots.');
      return slot;
    },
    giveBack(slot) {
      free.push(slot);
      quitWhenIdle();
    },
    isWornOut: () => pages >= limits.pages || overMemory,
    memoryBytes: () => memoryBytes,
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
    endedForMemory() {
      return endedForMemory !== null && Date.now() - endedForMemory.at < memoryVerdictMs ? endedForMemory.what : null;
    },
    async answers() {
      const answered = await Promise.race([ask(chromium), delay(readinessTimeoutMs, false, { ref: false })]);
      if (!answered) await chromium.kill();
      return answered;
    },
    kill: chromium.kill,
    quit: chromium.quit,
  };
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
