import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import { restartBackoffFirstMs, restartBackoffMaxMs } from './limits.ts';
import type { VnuProcess } from './vnu-process.ts';

/** Starts a process. Rejects, with no process left, when it does not become ready. */
export type Launch = (signal: AbortSignal) => Promise<VnuProcess>;

export interface VnuSupervisor {
  /** Starts the first process. Idempotent. Rejects with the error of the launch, and can then be called again. */
  start(): Promise<void>;
  /** The process that is ready; null for none. */
  running(): VnuProcess | null;
  /** Waits for a process that is ready. Rejects when the supervisor was stopped or not started. */
  ready(): Promise<VnuProcess>;
  /** Resets the restart delay after a successful check. */
  resetBackoff(): void;
  /** Stops the process. It can be started again. */
  stop(): Promise<void>;
}

/** Keeps a process running: restarts it when it ends, with a delay that doubles each time. */
export function createVnuSupervisor(launch: Launch, logger: Logger): VnuSupervisor {
  let stopping: AbortController | null = null;
  let running: VnuProcess | null = null;
  /** The current or the next process. Rejects only when the first launch fails, or after `stop`. */
  let next: Promise<VnuProcess> | null = null;
  let watch: Promise<void> = Promise.resolve();
  let backoffMs = restartBackoffFirstMs;

  async function relaunch(signal: AbortSignal): Promise<VnuProcess> {
    for (;;) {
      await sleep(backoffMs, undefined, { signal });
      backoffMs = Math.min(backoffMs * 2, restartBackoffMaxMs);
      try {
        return await launch(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        logger.error({ err: error }, 'The HTML validator could not be restarted. Trying again.');
      }
    }
  }

  async function keepAlive(first: VnuProcess, signal: AbortSignal): Promise<void> {
    let vnu = first;
    while (!signal.aborted) {
      running = vnu;
      const reason = await vnu.ended;
      running = null;
      if (signal.aborted) return;
      logger.warn({ pid: vnu.pid, reason }, 'The HTML validator has ended. Restarting it.');
      next = relaunch(signal);
      try {
        vnu = await next;
      } catch {
        // Stopped.
        return;
      }
    }
  }

  async function launchFirst(signal: AbortSignal): Promise<VnuProcess> {
    const first = await launch(signal);
    watch = keepAlive(first, signal);
    return first;
  }

  return {
    async start() {
      if (next === null) {
        const controller = new AbortController();
        stopping = controller;
        next = launchFirst(controller.signal);
        next.catch(() => {
          if (stopping === controller) next = null;
        });
      }
      await next;
    },
    running: () => running,
    ready: () => next ?? Promise.reject(new Error('it was not started')),
    resetBackoff() {
      backoffMs = restartBackoffFirstMs;
    },
    async stop() {
      stopping?.abort();
      stopping = null;
      const last = await next?.catch(() => null);
      next = null;
      await last?.stop();
      await watch;
      running = null;
    },
  };
}
