import { createTurnstile } from '../platform/turnstile.ts';
import { documentsMaxBytes, guaranteedVisitsMax } from './limits.ts';

/** There is no room left for what a request brings. It has ended, and is to be made again when room is guaranteed. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/**
 * The memory of a process for documents under way, from their first byte until they are saved, shared by all its crawls.
 * Who finds no room gives up its request, so that no server waits for us, and asks for a guarantee. The few who have one
 * need nothing of the others to come to their end, so that everybody has a turn.
 */
export interface DocumentRoom {
  lease(signal: AbortSignal): RoomLease;
}

/** The part of the room that one piece of work has taken. It is given back when the signal aborts, too. */
export interface RoomLease {
  /** Takes so many bytes more, if they are there. */
  take(bytes: number): boolean;
  /**
   * Gives back what was taken, waits for its turn, and then until there is room for anything.
   * @param turn resolves when no other work that may need a guarantee has to end first
   * @throws the signal's reason
   */
  guarantee(turn: Promise<void>): Promise<void>;
  /** Does work that needs no room any more when it is done, and does it again under a guarantee where there was none. */
  briefly<T>(work: (lease: RoomLease) => Promise<T>): Promise<T>;
  release(): void;
}

export function createDocumentRoom({
  bytesMax = documentsMaxBytes,
  guaranteesMax = guaranteedVisitsMax,
} = {}): DocumentRoom {
  const guarantees = createTurnstile(guaranteesMax);
  let taken = 0;

  function lease(signal: AbortSignal): RoomLease {
    let own = 0;
    let leave: (() => void) | null = null;
    function giveBack(): void {
      taken -= own;
      own = 0;
      leave?.();
      leave = null;
    }
    signal.addEventListener('abort', giveBack, { once: true });

    const self: RoomLease = {
      take(bytes) {
        if (leave !== null) return true;
        if (taken + bytes > bytesMax) return false;
        taken += bytes;
        own += bytes;
        return true;
      },
      async guarantee(turn) {
        giveBack();
        await turn;
        leave = await guarantees.enter('documents', signal);
        // Whoever was aborted in this moment has given back already.
        if (signal.aborted) giveBack();
      },
      async briefly(work) {
        if (leave !== null) return work(self);
        const inner = lease(signal);
        try {
          return await withGuarantee(inner, () => work(inner));
        } finally {
          inner.release();
        }
      },
      release() {
        signal.removeEventListener('abort', giveBack);
        giveBack();
      },
    };
    return self;
  }
  return { lease };
}

/** Does the work, and does it again under a guarantee where there was no room for it. */
export async function withGuarantee<T>(
  lease: RoomLease,
  work: () => Promise<T>,
  turn: Promise<void> = Promise.resolve(),
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoRoom)) throw error;
  }
  await lease.guarantee(turn);
  return work();
}
