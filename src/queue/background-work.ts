import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { WorkTopic } from '../store/work-topics.ts';
import type { Worker } from './worker.ts';

export interface BackgroundWork {
  /** Starts a round at once, besides the worker's own. */
  readonly topic: WorkTopic;
  /** Does a piece of work that may be lost without harm; false when nothing is left to do or to claim. */
  doNext(): Promise<boolean>;
  /** What the log says when a piece failed; it is tried again on the worker's next round. */
  readonly failure: string;
}

/** Does a kind of work piece by piece until stopped. Several processes may do so at a time. */
export function startBackgroundWork(
  parts: { readonly worker: Worker; readonly log: Logger },
  work: BackgroundWork,
): { wake(): void; stop(): Promise<void> } {
  let isStopping = false;
  let isWorkLikely = false;
  let running: Promise<void> | null = null;

  const drain = async (): Promise<void> => {
    while (isWorkLikely && !isStopping) {
      isWorkLikely = false;
      if (await work.doNext()) isWorkLikely = true;
    }
  };
  const wake = (): void => {
    isWorkLikely = true;
    if (isStopping || running !== null) return;
    running = drain()
      .catch((error: unknown) => parts.log.warn({ reason: messageOf(error) }, work.failure))
      .then(() => {
        running = null;
      });
  };
  const off = parts.worker.onWork(work.topic, wake);
  wake();

  return {
    wake: wake,
    async stop() {
      off();
      isStopping = true;
      await running;
    },
  };
}
