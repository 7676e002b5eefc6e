import { createSemaphore } from '../platform/semaphore.ts';
import { crawlDocumentsMaxBytes, documentsMaxBytes, guaranteedVisitsMax } from './limits.ts';

/** A document exceeds the memory budget. Its request has been aborted, and must be repeated under a guarantee. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/**
 * The memory of a process for documents, from their first byte until they are saved, shared by all its crawls. A request that
 * exceeds the budget is aborted, so that no server waits, and repeated under a guarantee. Guarantees are few, and work under
 * one depends on no other work, so every request is served in the end.
 */
export interface MemoryBudget {
  /**
   * Returns the budget of one crawl. It is a part of the whole, so that a site with endless responses slows down no other crawl.
   */
  forCrawl(reportId: string): CrawlBudget;
}

export interface CrawlBudget {
  /** @param signal releases the reservation when it aborts */
  reserve(signal: AbortSignal): Reservation;
  /** Does work under a reservation that is released afterwards; if the work exceeds the budget, repeats it under a guarantee. */
  briefly<T>(signal: AbortSignal, work: (reservation: Reservation) => Promise<T>): Promise<T>;
}

/** The memory that one piece of work has taken from the budget. */
export interface Reservation {
  /** Takes more bytes. Returns false if they exceed the budget, or if the reservation has been released. */
  take(bytes: number): boolean;
  /**
   * Gives back all bytes, waits for earlier work, and then for a guarantee, under which any number of bytes may be taken.
   * @param earlierDone resolves when no other work that may need a guarantee has to end before this
   * @throws the signal's reason
   */
  guarantee(earlierDone: Promise<void>): Promise<void>;
  /** Does work as `CrawlBudget.briefly` does, under the guarantee of this reservation if it has one. */
  briefly<T>(work: (reservation: Reservation) => Promise<T>): Promise<T>;
  /** Gives back all bytes, and ends the reservation. */
  release(): void;
}

export function createMemoryBudget({
  bytesMax = documentsMaxBytes,
  crawlBytesMax = crawlDocumentsMaxBytes,
  guaranteesMax = guaranteedVisitsMax,
} = {}): MemoryBudget {
  const guarantees = createSemaphore(guaranteesMax);
  let taken = 0;

  function forCrawl(reportId: string): CrawlBudget {
    let ofCrawl = 0;

    function reserve(signal: AbortSignal): Reservation {
      let own = 0;
      let endGuarantee: (() => void) | null = null;
      let isReleased = false;
      const hasEnded = (): boolean => isReleased || signal.aborted;
      function giveBack(): void {
        taken -= own;
        ofCrawl -= own;
        own = 0;
        endGuarantee?.();
        endGuarantee = null;
      }
      signal.addEventListener('abort', giveBack, { once: true });

      const self: Reservation = {
        take(bytes) {
          if (hasEnded()) return false;
          if (endGuarantee !== null) return true;
          if (ofCrawl + bytes > crawlBytesMax || taken + bytes > bytesMax) return false;
          taken += bytes;
          ofCrawl += bytes;
          own += bytes;
          return true;
        },
        async guarantee(earlierDone) {
          giveBack();
          await earlierDone;
          endGuarantee = await guarantees.acquire(reportId, signal);
          // If the reservation has ended in the meantime, nothing else gives the guarantee back.
          if (hasEnded()) giveBack();
        },
        briefly: (work) => (endGuarantee === null ? briefly(signal, work) : work(self)),
        release() {
          isReleased = true;
          signal.removeEventListener('abort', giveBack);
          giveBack();
        },
      };
      return self;
    }

    const briefly: CrawlBudget['briefly'] = async (signal, work) => {
      const own = reserve(signal);
      try {
        return await withGuarantee(own, () => work(own));
      } finally {
        own.release();
      }
    };
    return { reserve, briefly };
  }
  return { forCrawl };
}

/** Does the work; if it exceeds the budget, repeats it under a guarantee. */
export async function withGuarantee<T>(
  reservation: Reservation,
  work: () => Promise<T>,
  earlierDone: Promise<void> = Promise.resolve(),
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
  }
  await reservation.guarantee(earlierDone);
  return work();
}
