import { configOfProcess } from '../config.ts';
import { AppError } from '../platform/errors.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/**
 * Workers only, for further machines, until stopped.
 * @throws AppError invalid_configuration without DATABASE_URL: an embedded database is on one machine alone
 */
export async function work(): Promise<void> {
  const config = configOfProcess(true);
  if (config.databaseUrl === null) {
    throw new AppError('invalid_configuration', 'Set DATABASE_URL to the database that all machines share.');
  }
  await runUntilStopped(config, { isWorker: true }, async (app, log) => {
    await app.startWork();
    log.info('Working on reports; stop with Ctrl-C');
  });
}
