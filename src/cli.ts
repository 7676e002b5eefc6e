import { CommanderError } from 'commander';
import { ExitStatus } from './commands/exit-status.ts';
import { createProgram } from './commands/program.ts';
import { writeText } from './commands/text-layout.ts';
import { AppError, type ErrorCode } from './platform/errors.ts';

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

// The reader of the output may exit early, as `head` does. That does not affect the command and its status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
}
await endProcess();

function statusOf(error: unknown): number {
  // Commander has already reported the error; its help and version exit with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitStatus.passed : ExitStatus.wrongUsage;
  if (!(error instanceof AppError)) {
    process.stderr.write(`Unexpected error, please report it: ${error instanceof Error ? error.stack : error}\n`);
    return ExitStatus.fault;
  }
  writeText(process.stderr, error.message);
  if (NOT_CHECKABLE.includes(error.code)) return ExitStatus.notCheckable;
  return WRONG_USAGE.includes(error.code) ? ExitStatus.wrongUsage : ExitStatus.fault;
}

/**
 * Ends this process once all output is flushed. The command has closed its parts before; remaining handles, such as the channel to
 * the parent process, do not delay it.
 */
async function endProcess(): Promise<never> {
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
  process.exit();
}
