import type { Semaphore } from '../platform/semaphore.ts';

/** Waits for a page's requests and timers without holding the permit, so that other pages can be worked on. */
export type StepAside = <T>(wait: () => Promise<T>) => Promise<T>;

/** Permission to work on a page: only so many pages are worked on at a time. */
export interface PagePermit {
  /** Releases the permit while waiting, then acquires one again, ahead of pages that are not open yet. */
  readonly stepAside: StepAside;
  /** Releases the permit permanently, even while `stepAside` is about to acquire it again. */
  release(): void;
}

/** @throws the signal's reason if the signal is aborted before a permit is free */
export async function acquirePermit(semaphore: Semaphore, lane: string, signal: AbortSignal): Promise<PagePermit> {
  let release = await semaphore.acquire(lane, signal);
  let isReleased = false;
  return {
    async stepAside(wait) {
      release();
      try {
        return await wait();
      } finally {
        release = await semaphore.acquireAgain(signal);
        if (isReleased) release();
      }
    },
    release() {
      isReleased = true;
      release();
    },
  };
}
