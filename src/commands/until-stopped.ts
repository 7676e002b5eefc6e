import { ExitStatus } from './exit-status.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time to shut down. After it the process exits anyway, and the next start cleans up. */
const CLOSE_TIMEOUT_MS = 9_000;

/** npm forwards a Ctrl-C that the terminal has already delivered. The copy arrives within this time; a second Ctrl-C, later. */
const SAME_CTRL_C_MS = 200;

/**
 * Resolves when this process should end: on a signal, when its parent process exits, or after an uncaught error, which is
 * printed and sets the exit status. From then on the process exits within `CLOSE_TIMEOUT_MS`, or immediately on another
 * Ctrl-C.
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
      exitAfterTimeout();
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    process.once('disconnect', () => stop());
    // Also called for unhandled rejections.
    process.on('uncaughtException', (error) => {
      process.stderr.write(`Unexpected error, please report it: ${error.stack ?? String(error)}\n`);
      process.exitCode = ExitStatus.fault;
      stop();
    });
  });
}

/** Runs a command that ends by itself. If a signal stops it earlier, the command can still close, and the exit status is 130. */
export async function runStoppable<Result>(run: (isStopped: () => boolean) => Promise<Result>): Promise<Result> {
  let isStopped = false;
  void untilStopped().then((signal) => {
    isStopped = true;
    // On a terminal, the cursor is behind the progress line and ^C.
    const newline = process.stderr.isTTY ? '\n' : '';
    if (signal === 'SIGINT') process.stderr.write(`${newline}Stopping … Press Ctrl-C again to quit immediately.\n`);
    process.exitCode ??= ExitStatus.interrupted;
  });
  return run(() => isStopped);
}

/** Closes, and exits after `CLOSE_TIMEOUT_MS` even if a part does not close. Child processes end with this one. */
export async function closeInTime(close: () => Promise<void>): Promise<void> {
  const timer = exitAfterTimeout();
  await close();
  clearTimeout(timer);
}

function exitAfterTimeout(): NodeJS.Timeout {
  const timer = setTimeout(() => {
    process.stderr.write('Some parts did not stop in time. The next start cleans up after them.\n');
    process.exit(process.exitCode ?? ExitStatus.fault);
  }, CLOSE_TIMEOUT_MS);
  return timer.unref();
}
