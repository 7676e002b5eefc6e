import { serveThread } from '../../src/platform/thread.ts';

/** The script of a thread whose task `endless` does not end. Others are their own result. */
serveThread(function* (task: string) {
  while (task === 'endless') Math.random();
  yield task;
});
