import type { Semaphore } from '../platform/semaphore.ts';

/** Runs work while nothing but the page's own time is waited for, and others use the processor. */
export type StepAside = <T>(wait: () => Promise<T>) => Promise<T>;

/** A page's place among those that are worked on. */
export interface PagePlace {
  /** Gives the place away while something is waited for, and takes one again, before pages that are not open yet. */
  readonly stepAside: StepAside;
  /** Frees the place for good, also one that is still to be taken again. */
  leave(): void;
}

/** @throws the signal's reason when it is aborted before there is a place */
export async function takePlace(semaphore: Semaphore, lane: string, signal: AbortSignal): Promise<PagePlace> {
  let free = await semaphore.acquire(lane, signal);
  let isOver = false;
  return {
    async stepAside(wait) {
      free();
      try {
        return await wait();
      } finally {
        free = await semaphore.acquireAgain(signal);
        if (isOver) free();
      }
    },
    leave() {
      isOver = true;
      free();
    },
  };
}
