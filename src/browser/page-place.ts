import type { Semaphore } from '../platform/semaphore.ts';

/** Waits without holding a slot, so that other pages can be worked on. Use it while waiting for a page's requests and timers. */
export type StepAside = <T>(wait: () => Promise<T>) => Promise<T>;

/** A page's slot among the pages that are worked on at a time. */
export interface PagePlace {
  /** Releases the slot while waiting, then acquires a slot again, ahead of pages that are not open yet. */
  readonly stepAside: StepAside;
  /** Releases the slot permanently, even while `stepAside` is about to acquire it again. */
  release(): void;
}

/** @throws the signal's reason when it is aborted before a slot is free */
export async function acquirePlace(semaphore: Semaphore, lane: string, signal: AbortSignal): Promise<PagePlace> {
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
