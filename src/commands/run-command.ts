import { CommanderError } from 'commander';
import { AppError, type ErrorCode } from '../platform/errors.ts';
import { ExitStatus } from './exit-status.ts';
import { DEVICES_LISTED } from './option-values.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

/** The site cannot be checked: because of the site itself, or because a validator or the browser does not start. */
const NOT_CHECKABLE: readonly ErrorCode[] = [
  'site_not_checkable',
  'java_missing',
  'validator_failed_to_start',
  'browser_missing',
  'browser_failed_to_start',
];
const WRONG_USAGE: readonly ErrorCode[] = [
  'invalid_usage',
  'invalid_configuration',
  'invalid',
  'account_not_found',
  'token_not_found',
  'conflict',
];

/** Runs a command to its end, prints why it failed, and leaves its exit status in the terminal. Never rejects. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<void> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
  } catch (error) {
    terminal.exitStatus = statusOf(error, terminal);
  }
}

function statusOf(error: unknown, { stdout, stderr }: Terminal): number {
  if (error instanceof CommanderError) {
    if (error.code === DEVICES_LISTED) stdout.write(error.message);
    // Commander has already reported the error; its help and version exit with 0.
    return error.exitCode === 0 ? ExitStatus.passed : ExitStatus.wrongUsage;
  }
  if (!(error instanceof AppError)) {
    stderr.write(`Unexpected error, please report it: ${error instanceof Error ? error.stack : error}\n`);
    return ExitStatus.fault;
  }
  writeText(stderr, error.message);
  if (NOT_CHECKABLE.includes(error.code)) return ExitStatus.notCheckable;
  return WRONG_USAGE.includes(error.code) ? ExitStatus.wrongUsage : ExitStatus.fault;
}
