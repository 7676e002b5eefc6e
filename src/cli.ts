import { CommanderError } from 'commander';
import { ExitStatus } from './commands/exit-status.ts';
import { createProgram } from './commands/program.ts';
import { writeText } from './commands/text-layout.ts';
import { AppError, type ErrorCode } from './platform/errors.ts';

/** What keeps a site from being checked: the site itself, or a checker that does not start. */
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

// Whoever read the output may leave before its end, as `head` does; the command and its status are not affected.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
}
await endProcess();

function statusOf(error: unknown): number {
  // Commander has told what was wrong already; its help and version end with 0.
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
 * Ends this process with its status as soon as everything written has been read. The command has closed its parts before;
 * what is open nevertheless, such as the channel to the process that started this one, does not keep it.
 */
async function endProcess(): Promise<never> {
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
  process.exit();
}
