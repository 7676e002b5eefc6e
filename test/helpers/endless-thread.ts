import { serveThread } from '../../src/platform/thread.ts';

/** The script of a thread whose task `endless` does not end. Others are their own result. */
serveThread(function* (task: string) {
  // It sleeps most of the time, to leave the processor to other tests.
  while (task === 'endless') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  yield task;
});
