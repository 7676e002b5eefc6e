import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { WorkTopic } from '../store/work-topics.ts';
import { createLockedRetry } from './locked-retry.ts';
import type { Worker } from './worker.ts';

export interface BackgroundWork {
  /** Announcements of this topic start a search for work, in addition to the worker's rounds. */
  readonly topic: WorkTopic;
  /**
   * Does a piece of work that can be repeated. Returns false if nothing is left to do or to claim.
   * @param onLocked to be called if another transaction has locked the work: nothing is announced when that transaction ends
   */
  doNext(onLocked: () => void): Promise<boolean>;
  /** The log message when a piece failed. The piece is tried again in the worker's next round. */
  readonly failure: string;
}

/** Does a kind of work piece by piece until stopped. Several processes can do so at the same time. */
export function startBackgroundWork(
  parts: { readonly worker: Pick<Worker, 'onWork'>; readonly log: Logger },
  work: BackgroundWork,
): { wake(): void; stop(): Promise<void> } {
  let isStopping = false;
  let isWorkLikely = false;
  let running: Promise<void> | null = null;

  const doAll = async (): Promise<void> => {
    while (isWorkLikely && !isStopping) {
      isWorkLikely = false;
      if (await work.doNext(locked.onLocked)) isWorkLikely = true;
    }
  };
  const look = (): void => {
    isWorkLikely = true;
    if (isStopping || running !== null) return;
    running = doAll()
      .catch((error: unknown) => parts.log.warn({ reason: messageOf(error) }, work.failure))
      .then(() => {
        running = null;
      });
  };
  const locked = createLockedRetry(look);
  const wake = (): void => {
    locked.reset();
    look();
  };
  const off = parts.worker.onWork(work.topic, wake);
  wake();

  return {
    wake,
    async stop() {
      off();
      isStopping = true;
      await running;
      locked.stop();
    },
  };
}
