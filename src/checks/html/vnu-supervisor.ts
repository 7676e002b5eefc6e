import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import { restartBackoffFirstMs, restartBackoffMaxMs } from './limits.ts';
import type { VnuProcess } from './vnu-process.ts';

/** Starts one process; rejects when it does not become ready, leaving nothing behind. */
export type Launch = (signal: AbortSignal) => Promise<VnuProcess>;

export interface VnuSupervisor {
  /** Starts the first process. Idempotent; rejects with the launch's error, after which it may be called again. */
  start(): Promise<void>;
  /** The process that answers; null while there is none. */
  running(): VnuProcess | null;
  /** The process that answers, or the next one as soon as it does. Rejects when there will be none. */
  ready(): Promise<VnuProcess>;
  /** Says that work was done, so that the next death is followed by a quick start again. */
  worked(): void;
  /** Ends the process and the watch; afterwards it may be started again. */
  stop(): Promise<void>;
}

/** Keeps one process running: when it ends, the next is started, at first at once and then ever less often. */
export function createVnuSupervisor(launch: Launch, logger: Logger): VnuSupervisor {
  let stopping: AbortController | null = null;
  let running: VnuProcess | null = null;
  /** The process that answers or will. Rejected only when the first start has failed or the watch was stopped. */
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
        logger.error({ err: error }, 'The HTML validator could not be started again; trying on');
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
      logger.warn({ pid: vnu.pid, reason }, 'The HTML validator has ended; starting it again');
      next = relaunch(signal);
      try {
        vnu = await next;
      } catch {
        // Only a stop ends the attempts.
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
    worked() {
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
