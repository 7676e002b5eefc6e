import { createSerialQueue } from './serial-queue.ts';

/** Returns a function that runs tasks with the same key one after the other, in the order in which they are given. */
export function createKeyedQueue(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { readonly run: ReturnType<typeof createSerialQueue>; tasks: number }>();
  return async (key, task) => {
    const queue = queues.get(key) ?? { run: createSerialQueue(), tasks: 0 };
    queues.set(key, queue);
    queue.tasks += 1;
    try {
      return await queue.run(task);
    } finally {
      queue.tasks -= 1;
      if (queue.tasks === 0) queues.delete(key);
    }
  };
}
