import { createApp } from '../app.ts';
import { configOfProcess } from '../config.ts';
import { AppError } from '../platform/errors.ts';
import { createLogger } from '../platform/logger.ts';
import { closeInTime, untilStopped } from './until-stopped.ts';

/**
 * Workers only, for further machines, until stopped.
 * @throws AppError invalid_configuration without DATABASE_URL: an embedded database is on one machine alone
 */
export async function work(): Promise<void> {
  const config = configOfProcess();
  if (config.databaseUrl === null) {
    throw new AppError('invalid_configuration', 'Set DATABASE_URL to the database that all machines share.');
  }
  const log = createLogger({ level: config.logLevel, format: config.logFormat });
  const stopped = untilStopped();
  const app = await createApp(config, log);
  try {
    await app.startWork();
    log.info('Working on reports; stop with Ctrl-C');
    await stopped;
  } finally {
    await closeInTime(app.close);
  }
}
