import { configOfProcess } from '../config.ts';
import { ExitStatus } from './exit-status.ts';
import type { Terminal } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time to shut down. After it the process exits anyway, and the next start cleans up. */
const CLOSE_TIMEOUT_MS = 9_000;

/** npm forwards a Ctrl-C that the terminal has already delivered. The copy arrives within this time; a second Ctrl-C, later. */
const SAME_CTRL_C_MS = 200;

/** The terminal of this process. */
export const processTerminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  log: undefined,
  get exitStatus() {
    return typeof process.exitCode === 'number' ? process.exitCode : undefined;
  },
  set exitStatus(status) {
    process.exitCode = status;
  },
  config: configOfProcess,
  untilStopped,
  closeInTime,
};

/**
 * Resolves when this process should end: on a signal, when its parent process exits, or after an uncaught error, which is
 * printed and sets the exit status. From then on the process exits within `CLOSE_TIMEOUT_MS`, or immediately on another
 * Ctrl-C.
 * @returns the signal, if it was one
 */
function untilStopped(): Promise<NodeJS.Signals | undefined> {
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

/** Closes, and exits after `CLOSE_TIMEOUT_MS` even if a part does not close. Child processes end with this one. */
async function closeInTime(close: () => Promise<void>): Promise<void> {
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
