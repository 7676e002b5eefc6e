import { Worker } from 'node:worker_threads';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { memoryVerdictMs } from './limits.ts';

export interface MemoryLimits {
  /** Memory after which a browser is replaced once its pages have ended, in bytes. */
  readonly memoryBytes: number;
  /** Memory of all browsers together at which the largest page is ended at once, in bytes. */
  readonly memoryHardBytes: number;
}

/** What is known of the memory of one browser. */
export interface BrowserMemory {
  /** Whether it has once taken so much that it is to be replaced. */
  isWorn(): boolean;
  /** Bytes that the browser takes, as measured last: at most a quarter of a second ago. */
  bytes(): number;
  /** What was ended within the last seconds because of its memory: a page, or the whole browser; null for nothing. */
  endedForMemory(): 'page' | 'browser' | null;
  /** Ends the watch over a browser that has ended. */
  end(): void;
}

/** Keeps all browsers of this process together within their memory. */
export interface MemoryWatch {
  /** @param group the browser's process group */
  watch(group: number): BrowserMemory;
  stop(): Promise<void>;
}

/**
 * The places of what both threads know of a browser: whether it is worn, and when a page in it, or all of it, was ended, in
 * milliseconds of the clock. It is written before anything is ended, so that nobody sees an end without its reason.
 */
export const SHARED = { isWorn: 0, pageEndedAt: 1, browserEndedAt: 2, bytes: 3 } as const;

/** From the pages' thread to that of the watch. Null ends the watch over a group. */
export interface WatchRequest {
  readonly group: number;
  readonly shared: BigInt64Array | null;
}

/** From the thread of the watch, for the log. */
export interface EndedNotice {
  readonly bytes: number;
  readonly limit: number;
  readonly wholeBrowser: boolean;
}

/** How often a thread that ended is replaced before the next browser begins. One that always fails must not be for ever. */
const threadRestartsMax = 5;

/**
 * Watches in a thread of its own. A page takes several gigabytes in a second, and the thread of the service may be
 * busy for longer. A thread that ends is replaced. Without /proc nothing is seen, and nothing ended.
 */
export function createMemoryWatch(limits: MemoryLimits, log: Logger): MemoryWatch {
  const watched = new Map<number, BigInt64Array>();
  let thread: Worker | null = null;
  let restartsLeft = threadRestartsMax;

  function start(): Worker {
    const started = new Worker(new URL('./memory-thread.ts', import.meta.url), { workerData: limits });
    started.unref();
    started.on('message', (notice: EndedNotice) => {
      const what = notice.wholeBrowser ? 'The pages of a browser together' : 'A page';
      log.warn(notice, `${what} took too much memory, and the browser or page was ended.`);
    });
    let reason = 'It was ended.';
    started.on('error', (error) => {
      reason = messageOf(error);
    });
    started.on('exit', () => {
      if (thread !== started) return;
      thread = null;
      if (restartsLeft === 0) {
        log.error({ reason }, 'The memory of the browser is no longer watched.');
        return;
      }
      restartsLeft -= 1;
      log.error({ reason }, 'The watch over the memory of the browser ended, and begins again.');
      thread = start();
    });
    for (const [group, shared] of watched) started.postMessage({ group, shared } satisfies WatchRequest);
    return started;
  }

  return {
    watch(group) {
      const shared = new BigInt64Array(new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT));
      const isRecent = (place: number): boolean => Date.now() - Number(Atomics.load(shared, place)) < memoryVerdictMs;
      const send = (request: WatchRequest): void => thread?.postMessage(request);
      restartsLeft = threadRestartsMax;
      watched.set(group, shared);
      if (thread === null) thread = start();
      else send({ group, shared });
      return {
        isWorn: () => Atomics.load(shared, SHARED.isWorn) !== 0n,
        bytes: () => Number(Atomics.load(shared, SHARED.bytes)),
        endedForMemory() {
          if (isRecent(SHARED.browserEndedAt)) return 'browser';
          return isRecent(SHARED.pageEndedAt) ? 'page' : null;
        },
        end() {
          // The system may have given its number to the next one.
          if (watched.get(group) !== shared) return;
          watched.delete(group);
          send({ group, shared: null });
        },
      };
    },
    async stop() {
      const stopping = thread;
      thread = null;
      await stopping?.terminate();
    },
  };
}
