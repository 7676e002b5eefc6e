import { Worker } from 'node:worker_threads';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { memoryVerdictMs } from './limits.ts';

export interface MemoryLimits {
  /** In bytes: a browser that has used more is replaced once its pages have ended. */
  readonly memoryBytes: number;
  /** In bytes: when all browsers together use more, the largest page is killed. */
  readonly memoryHardBytes: number;
}

/** The memory of one browser. */
export interface BrowserMemory {
  /** Whether the browser has used so much memory that it should be replaced. */
  isWorn(): boolean;
  /** The latest measurement in bytes, at most a quarter of a second old. */
  bytes(): number;
  /** Whether a page or the whole browser was killed for its memory within the last seconds; null for neither. */
  killedForMemory(): 'page' | 'browser' | null;
  /** Stops watching the browser, after it has ended. */
  end(): void;
}

/** Keeps all browsers of this process together within their memory limits. */
export interface MemoryWatch {
  /** @param group the browser's process group */
  watch(group: number): BrowserMemory;
  stop(): Promise<void>;
}

/**
 * Indexes into the array that the two threads share for each browser. Times are in milliseconds since 1970, and written before
 * the kill, so that the reason is known when the end is noticed.
 */
export const SHARED = { isWorn: 0, pageKilledAt: 1, browserKilledAt: 2, bytes: 3 } as const;

/** Message to the thread. Null for `shared` stops watching the group. */
export interface WatchRequest {
  readonly group: number;
  readonly shared: BigInt64Array | null;
}

/** Message from the thread, for the log. */
export interface KillNotice {
  readonly bytes: number;
  readonly limit: number;
  readonly wholeBrowser: boolean;
}

/**
 * Maximum number of restarts of the thread until the next browser starts. Without a limit, a thread that always fails would
 * restart forever.
 */
const threadRestartsMax = 5;

/**
 * Creates a watch that runs in its own thread, because a page can allocate several gigabytes in a second, and the main thread may
 * be busy for longer. Restarts the thread if it ends. Has no effect on systems without /proc.
 */
export function createMemoryWatch(limits: MemoryLimits, log: Logger): MemoryWatch {
  const watched = new Map<number, BigInt64Array>();
  let thread: Worker | null = null;
  let restartsLeft = threadRestartsMax;

  function start(): Worker {
    // Modules that the process preloads may have paths relative to a working directory that the process has left.
    const started = new Worker(new URL('./memory-thread.ts', import.meta.url), { execArgv: [], workerData: limits });
    started.unref();
    started.on('message', (notice: KillNotice) => {
      const used = notice.wholeBrowser ? 'A browser was killed: its pages together used' : 'A page was killed: it used';
      log.warn(notice, `${used} too much memory.`);
    });
    let reason = 'It was terminated.';
    started.on('error', (error) => {
      reason = messageOf(error);
    });
    started.on('exit', () => {
      if (thread !== started) return;
      thread = null;
      if (restartsLeft === 0) {
        log.error({ reason }, 'The memory watch of the browser failed too often and was turned off.');
        return;
      }
      restartsLeft -= 1;
      log.error({ reason }, 'The memory watch of the browser failed and was restarted.');
      thread = start();
    });
    for (const [group, shared] of watched) started.postMessage({ group, shared } satisfies WatchRequest);
    return started;
  }

  return {
    watch(group) {
      const shared = new BigInt64Array(new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT));
      const send = (request: WatchRequest): void => thread?.postMessage(request);
      restartsLeft = threadRestartsMax;
      watched.set(group, shared);
      if (thread === null) thread = start();
      else send({ group, shared });
      return {
        ...readShared(shared),
        end() {
          // Another browser may have the same process group id by now.
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

function readShared(shared: BigInt64Array): Omit<BrowserMemory, 'end'> {
  const isRecent = (index: number): boolean => Date.now() - Number(Atomics.load(shared, index)) < memoryVerdictMs;
  return {
    isWorn: () => Atomics.load(shared, SHARED.isWorn) !== 0n,
    bytes: () => Number(Atomics.load(shared, SHARED.bytes)),
    killedForMemory() {
      if (isRecent(SHARED.browserKilledAt)) return 'browser';
      return isRecent(SHARED.pageKilledAt) ? 'page' : null;
    },
  };
}
