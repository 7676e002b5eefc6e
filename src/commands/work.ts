import { configOfProcess } from '../config.ts';
import { AppError } from '../platform/errors.ts';
import { runUntilStopped } from './run-app.ts';

/**
 * Runs workers only, on additional machines, until stopped.
 * @throws AppError invalid_configuration without DATABASE_URL, since an embedded database serves one machine
 */
export async function work(): Promise<void> {
  const config = configOfProcess(true);
  if (config.databaseUrl === null) {
    throw new AppError(
      'invalid_configuration',
      'This command requires DATABASE_URL, the database that all machines share.',
    );
  }
  await runUntilStopped(config, { isWorker: true }, async (app, log) => {
    await app.startWork();
    log.info('Working on reports. Press Ctrl-C to stop');
  });
}
