import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { messageOf } from './errors.ts';

/** A thread that does tasks one after the other, apart from the event loop, and tells of each in parts. */
export interface Thread<Task, Part> {
  /**
   * Does a task; its parts in their order.
   * @param moved buffers in the task that are handed over instead of copied; they cannot be used any more
   * @throws Error when the task did, or the thread has ended; the next task begins another one
   */
  run(task: Task, moved?: readonly ArrayBuffer[]): Promise<Part[]>;
  /** Ends the thread and what it is doing. */
  close(): Promise<void>;
}

interface Ask<Task> {
  readonly id: number;
  readonly task: Task;
}

type Answer<Part> = { readonly id: number } & ({ readonly part: Part } | { readonly end: string | null });

interface Waiting<Part> {
  readonly parts: Part[];
  readonly done: PromiseWithResolvers<Part[]>;
}

/**
 * A thread that begins with its first task.
 * @param script calls `serveThread`
 * @param heapMaxMegabytes with more in use, the thread ends
 */
export function createThread<Task, Part>(script: URL, heapMaxMegabytes: number): Thread<Task, Part> {
  const waiting = new Map<number, Waiting<Part>>();
  let worker: Worker | null = null;
  let tasks = 0;

  const settle = (id: number, fault: string | null): void => {
    const { done, parts } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (fault === null) done?.resolve(parts ?? []);
    else done?.reject(new Error(fault));
  };

  const begin = (): Worker => {
    const begun = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: heapMaxMegabytes } });
    // It must not keep a process alive that has nothing else to do.
    begun.unref();
    begun.on('message', (answer: Answer<Part>) => {
      if ('part' in answer) waiting.get(answer.id)?.parts.push(answer.part);
      else settle(answer.id, answer.end);
    });
    let reason = 'was ended';
    begun.on('error', (error) => {
      reason = messageOf(error);
    });
    begun.on('exit', () => {
      if (worker === begun) worker = null;
      for (const id of [...waiting.keys()]) settle(id, `The thread that was at it ended: ${reason}`);
    });
    return begun;
  };

  return {
    run(task, moved = []) {
      tasks += 1;
      const done = Promise.withResolvers<Part[]>();
      waiting.set(tasks, { parts: [], done });
      worker ??= begin();
      const ask: Ask<Task> = { id: tasks, task };
      worker.postMessage(ask, moved);
      return done.promise;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** Does the tasks of the thread that this is called in. What `work` throws is the task's error. */
export function serveThread<Task, Part>(work: (task: Task) => Iterable<Part>): void {
  const port = parentPort;
  if (isMainThread || port === null) throw new Error('There is nobody to serve.');
  const tell = (answer: Answer<Part>): void => port.postMessage(answer);
  port.on('message', ({ id, task }: Ask<Task>) => {
    try {
      for (const part of work(task)) tell({ id, part });
      tell({ id, end: null });
    } catch (error) {
      tell({ id, end: messageOf(error) });
    }
  });
}
