import { ExitStatus } from './exit-status.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** An orderly end takes at most this long; then the process ends as it is, and the next start clears up. */
const CLOSE_TIMEOUT_MS = 9_000;

/** What npm passes on of a Ctrl-C that the terminal has delivered already comes within this time; a second one comes later. */
const SAME_CTRL_C_MS = 200;

/**
 * Resolves when this process is to end: a signal, the end of the process that started it and that holds the other end of
 * its channel, or an error that nobody caught, which is told on standard error and sets the exit status. From then on
 * the process ends in time, even if a part does not close, and at once when Ctrl-C comes again.
 * @returns the signal, if it was one
 */
export function untilStopped(): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    let stoppedAt: number | null = null;
    const stop = (signal?: NodeJS.Signals): void => {
      if (stoppedAt !== null) {
        if (signal === 'SIGINT' && performance.now() - stoppedAt > SAME_CTRL_C_MS) process.exit(ExitStatus.interrupted);
        return;
      }
      stoppedAt = performance.now();
      endInTime();
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    process.once('disconnect', () => stop());
    // Rejections that nobody handles come here, too.
    process.on('uncaughtException', (error) => {
      process.stderr.write(`Unexpected error, please report it: ${error.stack ?? String(error)}\n`);
      process.exitCode = ExitStatus.fault;
      stop();
    });
  });
}

/** Runs a command that does something and ends. When it is stopped meanwhile, it ends in order and says so by its status. */
export async function endingInOrder<Result>(run: (isStopped: () => boolean) => Promise<Result>): Promise<Result> {
  let isStopped = false;
  void untilStopped().then((signal) => {
    isStopped = true;
    // On a terminal, ^C stands behind the progress.
    const newline = process.stderr.isTTY ? '\n' : '';
    if (signal === 'SIGINT') process.stderr.write(`${newline}Stopping; Ctrl-C once more ends at once.\n`);
    process.exitCode ??= ExitStatus.interrupted;
  });
  return run(() => isStopped);
}

/** Closes, and ends the process in time even if a part does not close. Its children end with it. */
export async function closeInTime(close: () => Promise<void>): Promise<void> {
  const timer = endInTime();
  await close();
  clearTimeout(timer);
}

function endInTime(): NodeJS.Timeout {
  const timer = setTimeout(() => {
    process.stderr.write('Some parts did not stop in time. The next start cleans up after them.\n');
    process.exit(process.exitCode ?? ExitStatus.fault);
  }, CLOSE_TIMEOUT_MS);
  return timer.unref();
}
