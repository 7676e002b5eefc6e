import { CommanderError } from 'commander';
import { ExitStatus } from './commands/exit-status.ts';
import { createProgram } from './commands/program.ts';
import { AppError } from './platform/errors.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
}

function statusOf(error: unknown): number {
  // Commander has told what was wrong already; its help and version end with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitStatus.passed : ExitStatus.wrongUsage;
  if (!(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n`);
  if (error.code === 'site_not_checkable') return ExitStatus.notCheckable;
  const usage = ['invalid_usage', 'invalid_configuration', 'account_not_found', 'token_not_found', 'conflict'];
  return usage.includes(error.code) ? ExitStatus.wrongUsage : ExitStatus.fault;
}
