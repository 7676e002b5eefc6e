import type { Config } from '../config.ts';
import { createLogger, type DestinationStream, type Logger } from '../platform/logger.ts';
import { ExitStatus } from './exit-status.ts';

/** What a command prints to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Where a command runs: what it reads and writes besides its database, its files and the network. */
export interface Terminal {
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
  /** Resolves when the command should end early, with the signal if it was one. */
  untilStopped(): Promise<NodeJS.Signals | undefined>;
  /** Closes what a command has opened. Does not wait for ever. */
  closeInTime(close: () => Promise<void>): Promise<void>;
}

/** Runs a command that ends by itself. If a signal stops it earlier, the command can still close, and the exit status is 130. */
export async function runStoppable<Result>(
  terminal: Terminal,
  run: (isStopped: () => boolean) => Promise<Result>,
): Promise<Result> {
  let isStopped = false;
  void terminal.untilStopped().then((signal) => {
    isStopped = true;
    const { stderr } = terminal;
    // On a terminal, the cursor is behind the progress line and ^C.
    const newline = stderr.isTTY === true ? '\n' : '';
    if (signal === 'SIGINT') stderr.write(`${newline}Stopping … Press Ctrl-C again to quit immediately.\n`);
    terminal.exitStatus ??= ExitStatus.interrupted;
  });
  return run(() => isStopped);
}

/** Creates a logger for short commands. They print their results, so it logs errors only. */
export function quietLogger({ log }: Terminal, { logLevel, logFormat }: Config): Logger {
  return createLogger({ level: logLevel === 'info' ? 'error' : logLevel, format: logFormat }, log);
}
