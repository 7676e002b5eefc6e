import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { codeOf, messageOf } from './errors.ts';

/** A thread that runs tasks one after the other, off the event loop, and returns the result of each in parts. */
export interface Thread<Task, Part> {
  /**
   * Runs a task and yields the parts of its result in order. If a thread ends, only the running task fails; a new thread runs the
   * rest.
   * @param moved buffers in the task that are transferred instead of copied; they cannot be used afterwards
   * @throws ThreadOutOfMemory when the task requires more memory than the thread has; ThreadTimeout when it takes too long; Error
   *   when the task threw, or its thread has ended
   */
  run(task: Task, moved?: readonly ArrayBuffer[]): Promise<Part[]>;
  /** Ends the thread. The running task and the waiting ones fail. */
  close(): Promise<void>;
}

/** A task required more memory than its thread has. */
export class ThreadOutOfMemory extends Error {
  override readonly name = 'ThreadOutOfMemory';
}

/** A task took longer than a task may take. */
export class ThreadTimeout extends Error {
  override readonly name = 'ThreadTimeout';
}

/** The last message of a task has `end`: null, or the message of the error. */
type Answer<Part> = { readonly part: Part } | { readonly end: string | null };

interface Job<Task, Part> {
  readonly task: Task;
  readonly moved: readonly ArrayBuffer[];
  readonly parts: Part[];
  readonly done: PromiseWithResolvers<Part[]>;
}

const ENDED = new Error('The thread was ended.');

export interface ThreadLimits {
  /** The thread ends if it uses more. */
  readonly heapMaxMegabytes: number;
  /**
   * How long a task may take, without its wait for other tasks; for the first task, including the start of the thread. If a task
   * takes longer, its thread is ended.
   */
  readonly taskTimeoutMs: number;
}

/**
 * Creates a thread that starts with its first task. It gets one task at a time, so that waiting tasks are not lost if it ends.
 * @param script calls `serveThread`
 */
export function createThread<Task, Part>(script: URL, limits: ThreadLimits): Thread<Task, Part> {
  const waiting: Job<Task, Part>[] = [];
  let underWay: Job<Task, Part> | null = null;
  let worker: Worker | null = null;
  let deadline: NodeJS.Timeout | undefined;
  /** Why the thread ends. */
  let fault = ENDED;

  const settle = (failure: Error | null): void => {
    const job = underWay;
    underWay = null;
    clearTimeout(deadline);
    if (failure === null) job?.done.resolve(job.parts);
    else job?.done.reject(failure);
    doNext();
  };

  const doNext = (): void => {
    if (underWay !== null) return;
    underWay = waiting.shift() ?? null;
    if (underWay === null) return;
    worker ??= startWorker();
    try {
      worker.postMessage(underWay.task, underWay.moved);
      deadline = setTimeout(endLateTask, limits.taskTimeoutMs, worker);
    } catch (error) {
      settle(new Error(messageOf(error), { cause: error }));
    }
  };

  /** A task that finishes at this moment is still late: another task must not get the thread that is being ended. */
  const endLateTask = (late: Worker): void => {
    late.removeAllListeners('message');
    fault = new ThreadTimeout(`The task took longer than ${limits.taskTimeoutMs} ms.`);
    void late.terminate();
  };

  const startWorker = (): Worker => {
    const started = new Worker(script, {
      // The script needs no module that the process preloads.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMaxMegabytes },
    });
    // It must not keep an idle process alive.
    started.unref();
    started.on('message', (answer: Answer<Part>) => {
      if ('part' in answer) underWay?.parts.push(answer.part);
      else settle(answer.end === null ? null : new Error(answer.end));
    });
    fault = ENDED;
    started.on('error', (error) => {
      const isMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      fault = new (isMemory ? ThreadOutOfMemory : Error)(`The thread ended: ${messageOf(error)}`, { cause: error });
    });
    started.on('exit', () => {
      worker = null;
      settle(fault);
    });
    return started;
  };

  return {
    run(task, moved = []) {
      const done = Promise.withResolvers<Part[]>();
      waiting.push({ task, moved, parts: [], done });
      doNext();
      return done.promise;
    },
    async close() {
      for (const { done } of waiting.splice(0)) done.reject(ENDED);
      await worker?.terminate();
    },
  };
}

/** Runs the tasks of the thread that calls it. An error that `work` throws is the error of the task. */
export function serveThread<Task, Part>(work: (task: Task) => Iterable<Part>): void {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('serveThread must be called in a thread.');
  const send = (answer: Answer<Part>): void => port.postMessage(answer);
  port.on('message', (task: Task) => {
    try {
      for (const part of work(task)) send({ part });
      send({ end: null });
    } catch (error) {
      send({ end: messageOf(error) });
    }
  });
}
