import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { type Config, configOfProcess, variableOfProcess } from '../config.ts';
import { AppError } from '../platform/errors.ts';
import { createLogger, type DestinationStream, type Logger } from '../platform/logger.ts';
import { ExitStatus } from './exit-status.ts';

/** The output of a command. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** The environment of a command: its input and output, except for its database, its files and the network. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Output;
  readonly stderr: Output;
  /** For log lines; undefined for the standard error of the process. */
  readonly log: DestinationStream | undefined;
  /** The exit status so far; undefined for success. */
  exitStatus: number | undefined;
  /**
   * Returns the settings.
   * @param isWorker as in `loadConfig`
   * @throws AppError invalid_configuration
   */
  config(isWorker?: boolean): Config;
  /** Returns an environment variable that is not a setting; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined;
  /**
   * Asks the person at the terminal, and returns a line; null if there is none.
   * @throws AppError invalid_usage at the end of the input
   */
  readonly ask: ((question: string) => Promise<string>) | null;
  /** Resolves when the command should end early, with the signal if it was one. */
  untilStopped(): Promise<NodeJS.Signals | undefined>;
  /** Waits before closing, unless the process gets SIGTERM again. */
  waitToClose(ms: number): Promise<void>;
  /** Closes everything that a command has opened. Does not wait forever. */
  closeInTime(close: () => Promise<void>): Promise<void>;
}

/**
 * Runs a command that ends by itself. If a system signal stops it earlier, the command can still close, and the exit status is
 * 130.
 * @param run receives a signal that is aborted in this case
 */
export async function runStoppable<Result>(
  terminal: Terminal,
  run: (stopped: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  void terminal.untilStopped().then((signal) => {
    stop.abort();
    const { stderr } = terminal;
    // On a terminal, the cursor is after the progress line and ^C.
    const newline = stderr.isTTY === true ? '\n' : '';
    if (signal === 'SIGINT') stderr.write(`${newline}Stopping … Press Ctrl-C again to quit immediately.\n`);
    terminal.exitStatus ??= ExitStatus.interrupted;
  });
  return run(stop.signal);
}

/** Creates a logger for short commands. They print their results, so it logs errors only. */
export function quietLogger({ log }: Terminal, { logLevel, logFormat }: Config): Logger {
  return createLogger({ level: logLevel === 'info' ? 'error' : logLevel, format: logFormat }, log);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Time to shut down. After this, the process exits anyway, and the next start cleans up. */
const CLOSE_TIMEOUT_MS = 9_000;

/** npm forwards a Ctrl-C that the terminal has already delivered. The copy arrives within this time; a second Ctrl-C, later. */
const SAME_CTRL_C_MS = 200;
/** A service manager may send SIGTERM to this process and to its parent, which forwards it. */
const SAME_SIGTERM_MS = 1_000;

/** Ends `waitToClose`. */
let endWait = (): void => undefined;
/** Runs from the signal to stop until the process exits. */
let exitTimer: NodeJS.Timeout | undefined;

/** The terminal of this process. */
export const processTerminal: Terminal = {
  // Opening standard input may fail, and few commands read it.
  get stdin() {
    return process.stdin;
  },
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
  variable: variableOfProcess,
  ask: process.stdin.isTTY && process.stdout.isTTY ? ask : null,
  untilStopped,
  waitToClose,
  closeInTime,
};

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = once(lines, 'close').then(() => {
    throw new AppError('invalid_usage', '\nCanceled; nothing was written.');
  });
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

/**
 * Resolves when this process should end: on a signal, when its parent process exits, or after an uncaught error, which is
 * printed and sets the exit status. From then on the process exits within `CLOSE_TIMEOUT_MS`, unless it calls `waitToClose`, or
 * immediately on another Ctrl-C.
 * @returns the signal, if it was one
 */
function untilStopped(): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    let stoppedAt: number | null = null;
    const stop = (signal?: NodeJS.Signals): void => {
      if (stoppedAt !== null) {
        const sinceMs = performance.now() - stoppedAt;
        if (signal === 'SIGINT' && sinceMs > SAME_CTRL_C_MS) process.exit(ExitStatus.interrupted);
        if (signal === 'SIGTERM' && sinceMs > SAME_SIGTERM_MS) endWait();
        return;
      }
      stoppedAt = performance.now();
      exitTimer = exitAfterTimeout();
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    process.once('disconnect', () => stop());
    // Also called for unhandled rejections.
    process.on('uncaughtException', (error) => {
      process.stderr.write(`Unexpected error. Please report it: ${error.stack ?? String(error)}\n`);
      process.exitCode = ExitStatus.internal;
      stop();
    });
  });
}

async function waitToClose(ms: number): Promise<void> {
  clearTimeout(exitTimer);
  const { promise, resolve } = Promise.withResolvers<void>();
  endWait = resolve;
  const timer = setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
  exitTimer = exitAfterTimeout();
}

/** Closes, and exits after `CLOSE_TIMEOUT_MS` even if a part does not close. Child processes end with this one. */
async function closeInTime(close: () => Promise<void>): Promise<void> {
  const timer = exitAfterTimeout();
  await close();
  clearTimeout(timer);
}

function exitAfterTimeout(): NodeJS.Timeout {
  const timer = setTimeout(() => {
    process.stderr.write('Some parts did not stop in time. They will be cleaned up at the next start.\n');
    process.exit(process.exitCode ?? ExitStatus.internal);
  }, CLOSE_TIMEOUT_MS);
  return timer.unref();
}
