import { createSemaphore } from '../platform/semaphore.ts';
import { crawlDocumentsMaxBytes, documentsMaxBytes, guaranteedVisitsMax } from './limits.ts';

/** There is no room left for what a request brings. It has ended, and is to be made again when room is guaranteed. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/**
 * The memory of a process for documents under way, from their first byte until they are saved, shared by all its crawls.
 * Who finds no room gives up its request, so that no server waits for us, and asks for a guarantee. The few who have one
 * need nothing of the others to come to their end, so that everybody has a turn.
 */
export interface MemoryBudget {
  /** The budget as one crawl has it: no more than a part, so that a site which never ends its answers slows nobody else. */
  forCrawl(reportId: string): CrawlBudget;
}

export interface CrawlBudget {
  /** @param signal ends the reservation, as its release does */
  reserve(signal: AbortSignal): Reservation;
  /** Does work that needs no room any more when it is done, and does it again under a guarantee where there was none. */
  briefly<T>(signal: AbortSignal, work: (reservation: Reservation) => Promise<T>): Promise<T>;
}

/** What one piece of work has taken of the budget. */
export interface Reservation {
  /** Takes so many bytes more, if they are there. Whoever has ended gets none: nobody would give them back. */
  take(bytes: number): boolean;
  /**
   * Gives back what was taken, waits for earlier work, and then until there is room for anything.
   * @param earlierDone resolves when no other work that may need a guarantee has to end first
   * @throws the signal's reason
   */
  guarantee(earlierDone: Promise<void>): Promise<void>;
  /** Does work as the budget's `briefly` does, under this guarantee if there is one. */
  briefly<T>(work: (reservation: Reservation) => Promise<T>): Promise<T>;
  /** Ends the reservation, and gives back what was taken. */
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
      let leave: (() => void) | null = null;
      let isReleased = false;
      const hasEnded = (): boolean => isReleased || signal.aborted;
      function giveBack(): void {
        taken -= own;
        ofCrawl -= own;
        own = 0;
        leave?.();
        leave = null;
      }
      signal.addEventListener('abort', giveBack, { once: true });

      const self: Reservation = {
        take(bytes) {
          if (hasEnded()) return false;
          if (leave !== null) return true;
          if (ofCrawl + bytes > crawlBytesMax || taken + bytes > bytesMax) return false;
          taken += bytes;
          ofCrawl += bytes;
          own += bytes;
          return true;
        },
        async guarantee(earlierDone) {
          giveBack();
          await earlierDone;
          leave = await guarantees.acquire(reportId, signal);
          // Whoever ended in this moment has given back already.
          if (hasEnded()) giveBack();
        },
        briefly: (work) => (leave === null ? briefly(signal, work) : work(self)),
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

/** Does the work, and does it again under a guarantee where there was no room for it. */
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
