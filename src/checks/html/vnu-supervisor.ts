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
  /** The current or the next process. Rejects when its launch fails, even if another launch follows, and after `stop`. */
  let next: Promise<VnuProcess> | null = null;
  let watch: Promise<void> = Promise.resolve();
  let resting = false;
  /** Resolves when all processes that were stopped to rest have ended. */
  let ending: Promise<unknown> = Promise.resolve();
  const outage = createOutage(logger, 'The HTML validator is working again');
  /** Whether the latest launch failed and another one follows. */
  let broken = false;
  let backoffMs = restartBackoffFirstMs;

  function noteFailure(error: unknown, signal: AbortSignal): null {
    if (signal.aborted) return null;
    broken = true;
    outage.begin();
    logger.warn({ reason: messageOf(error) }, 'The HTML validator could not be restarted; will retry');
    return null;
  }

  /** Launches a process after a delay. @returns null if that fails */
  function launchAgain(signal: AbortSignal): Promise<VnuProcess | null> {
    const launched = sleep(backoffMs, undefined, { signal }).then(() => launch(signal));
    backoffMs = Math.min(backoffMs * 2, restartBackoffMaxMs);
    next = launched;
    return launched.catch((error: unknown) => noteFailure(error, signal));
  }

  /** @param first null to launch it after a delay */
  async function keepAlive(first: VnuProcess | null, signal: AbortSignal): Promise<void> {
    for (let vnu = first; !signal.aborted; vnu = await launchAgain(signal)) {
      if (vnu === null) continue;
      running = vnu;
      broken = false;
      outage.end();
      const reason = await vnu.ended;
      if (running === vnu) running = null;
      if (signal.aborted) return;
      outage.begin();
      logger.warn({ pid: vnu.pid, reason }, 'The HTML validator stopped. Restarting it.');
    }
  }

  /**
   * Launches a process and keeps one running from then on.
   * @param insists whether to launch another one if the first launch fails
   */
  function begin(insists: boolean): Promise<VnuProcess> {
    const controller = new AbortController();
    const { signal } = controller;
    stopping = controller;
    resting = false;
    const launched = launch(signal);
    next = launched;
    const orAgain = (error: unknown): Promise<void> => keepAlive(noteFailure(error, signal), signal);
    const orNone = (): void => {
      if (stopping !== controller) return;
      next = null;
      outage.begin();
    };
    watch = launched.then((first) => keepAlive(first, signal), insists ? orAgain : orNone);
    return launched;
  }

  return {
    /** Starts the first process. Idempotent. Rejects with the error of the launch, and can then be called again. */
    async start(): Promise<void> {
      await (next ?? begin(false));
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
    /** Starts a process if none runs because it rests, and retries as after a crash. Returns null if it doesn't rest. */
    wake(): Promise<VnuProcess> | null {
      return resting ? begin(true) : null;
    },
    isResting: () => resting,
    /** Whether the process has ended and could not be started again so far. */
    isBroken: () => broken,
    /** The process that is ready; null for none. */
    running: () => running,
    /** Waits for a process that is ready. Rejects when its launch fails, or the supervisor was stopped or not started. */
    ready: () => next ?? Promise.reject(new Error('it was not started')),
    /** To be called after a successful check. */
    resetBackoff(): void {
      backoffMs = restartBackoffFirstMs;
    },
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
