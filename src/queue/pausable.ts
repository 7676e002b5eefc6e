import type { Logger } from '../platform/logger.ts';
import type { Executor } from '../store/database.ts';
import { PAUSE_TOPIC, pausedSince } from '../store/pause.ts';
import { startBackgroundWork } from './background-work.ts';
import type { Worker } from './worker.ts';

interface Task {
  stop(): Promise<void>;
}

/** Tasks that run unless the installation is paused. */
export interface Pausable {
  /** Starts tasks now or when the installation is resumed, and again after each pause. */
  run(start: () => readonly Task[]): void;
  /** Stops the tasks for good. */
  stop(): Promise<void>;
}

/**
 * Stops the tasks of this process when the installation is paused, as at shutdown, so that nothing is lost, and starts them when
 * it is resumed.
 * @throws Error of the database
 */
export async function startPausable(parts: {
  readonly db: Executor;
  readonly worker: Worker;
  readonly log: Logger;
}): Promise<Pausable> {
  const { db, log } = parts;
  const starts: (() => readonly Task[])[] = [];
  let running: readonly Task[] = [];
  let since = await pausedSince(db);
  let isStopped = false;
  const stopAll = (): Promise<unknown> => {
    // Even if a task cannot be stopped, a resumed process starts new ones.
    const stopped = running;
    running = [];
    return Promise.all(stopped.map((task) => task.stop()));
  };
  const logPause = (): void => {
    if (since !== null)
      log.warn({ since }, 'Paused: schedules, notifications and work stop until the installation is resumed');
  };
  logPause();

  const follow = async (): Promise<boolean> => {
    const wasPaused = since !== null;
    since = await pausedSince(db);
    const isPaused = since !== null;
    if (isPaused === wasPaused || isStopped) return false;
    logPause();
    if (isPaused) {
      await stopAll();
    } else {
      running = starts.flatMap((start) => start());
      log.info('Resumed');
    }
    // The installation may have been paused or resumed in the meantime.
    return true;
  };
  const following = startBackgroundWork(parts, {
    topic: PAUSE_TOPIC,
    doNext: follow,
    failure: 'Could not check whether the installation is paused; will retry',
  });

  return {
    run(start) {
      starts.push(start);
      if (since === null) running = [...running, ...start()];
    },
    async stop() {
      isStopped = true;
      await Promise.all([following.stop(), stopAll()]);
    },
  };
}
