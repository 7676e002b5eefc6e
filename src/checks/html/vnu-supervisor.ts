import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { createOutage } from '../../platform/outage.ts';
import { restartBackoffFirstMs, restartBackoffMaxMs } from './limits.ts';
import type { VnuProcess } from './vnu-process.ts';

/**
 * Keeps a process running: restarts it when it ends, with a delay that doubles each time.
 * @param launch starts a process; rejects, with no process left, when it does not become ready
 */
export function createVnuSupervisor(launch: (signal: AbortSignal) => Promise<VnuProcess>, logger: Logger) {
  let stopping: AbortController | null = null;
  let running: VnuProcess | null = null;
  /** The current or the next process. Rejects only when the first launch fails, or after `stop`. */
  let next: Promise<VnuProcess> | null = null;
  let watch: Promise<void> = Promise.resolve();
  let resting = false;
  /** The ends of processes that were stopped to rest. */
  let ending: Promise<unknown> = Promise.resolve();
  const outage = createOutage(logger, 'The HTML validator works again');
  const { relaunch, resetBackoff } = createRelauncher(launch, logger);

  async function launchAgain(signal: AbortSignal): Promise<VnuProcess> {
    return await launch(signal).catch((error: unknown) => {
      if (!signal.aborted) {
        outage.begin();
        logger.warn({ reason: messageOf(error) }, 'The HTML validator could not be restarted; will retry');
      }
      return relaunch(signal);
    });
  }

  async function keepAlive(first: VnuProcess, signal: AbortSignal): Promise<void> {
    let vnu = first;
    while (!signal.aborted) {
      running = vnu;
      outage.end();
      const reason = await vnu.ended;
      if (running === vnu) running = null;
      if (signal.aborted) return;
      outage.begin();
      logger.warn({ pid: vnu.pid, reason }, 'The HTML validator stopped. Restarting it.');
      next = relaunch(signal);
      // Fails only when stopped.
      const following = await next.catch(() => null);
      if (following === null) return;
      vnu = following;
    }
  }

  /** Launches a process and keeps one running from then on. */
  function begin(launchFirst: typeof launch): Promise<VnuProcess> {
    const controller = new AbortController();
    stopping = controller;
    resting = false;
    const launched = launchFirst(controller.signal).then((first) => {
      watch = keepAlive(first, controller.signal);
      return first;
    });
    next = launched;
    launched.catch(() => {
      if (stopping !== controller) return;
      next = null;
      outage.begin();
    });
    return launched;
  }

  return {
    /** Starts the first process. Idempotent. Rejects with the error of the launch, and can then be called again. */
    async start(): Promise<void> {
      await (next ?? begin(launch));
    },
    /** Stops the process that is ready, until `wake` or `start`. Returns false if none is ready. */
    rest(): boolean {
      if (running === null) return false;
      const last = running;
      resting = true;
      stopping?.abort();
      running = null;
      next = null;
      ending = Promise.all([ending, last.stop()]);
      return true;
    },
    /** Starts a process if it rests, and repeats that as after its end. Returns null if it doesn't rest. */
    wake(): Promise<VnuProcess> | null {
      return resting ? begin(launchAgain) : null;
    },
    isResting: () => resting,
    /** The process that is ready; null for none. */
    running: () => running,
    /** Waits for a process that is ready. Rejects when the supervisor was stopped or not started. */
    ready: () => next ?? Promise.reject(new Error('it was not started')),
    resetBackoff,
    /** Stops the process. It can be started again. */
    async stop(): Promise<void> {
      stopping?.abort();
      stopping = null;
      resting = false;
      const last = await next?.catch(() => null);
      next = null;
      await last?.stop();
      await Promise.all([watch, ending]);
      running = null;
    },
  };
}

/** Starts a process repeatedly until it is ready, each time after a longer delay. */
function createRelauncher(launch: (signal: AbortSignal) => Promise<VnuProcess>, logger: Logger) {
  let backoffMs = restartBackoffFirstMs;
  return {
    /** @throws the signal's reason */
    async relaunch(signal: AbortSignal): Promise<VnuProcess> {
      for (;;) {
        await sleep(backoffMs, undefined, { signal });
        backoffMs = Math.min(backoffMs * 2, restartBackoffMaxMs);
        try {
          return await launch(signal);
        } catch (error) {
          if (signal.aborted) throw error;
          logger.warn({ reason: messageOf(error) }, 'The HTML validator could not be restarted; will retry');
        }
      }
    },
    /** To be called after a successful check. */
    resetBackoff(): void {
      backoffMs = restartBackoffFirstMs;
    },
  };
}
