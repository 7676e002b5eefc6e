import { join } from 'node:path';
import { AppError } from '../platform/errors.ts';
import { startHeartbeat } from '../platform/heartbeat.ts';
import { runUntilStopped } from './run-app.ts';
import type { Terminal } from './terminal.ts';

/** A file in the data directory that `work` touches every few seconds while it runs. */
export const ALIVE_FILE = 'work.alive';

/**
 * Runs workers only, on additional machines, until stopped. They deliver notifications if the public address is set, to which
 * messages link, and emails if a mail server is set.
 * @throws AppError invalid_configuration without DATABASE_URL, since an embedded database serves one machine
 */
export async function work(terminal: Terminal): Promise<void> {
  const config = terminal.config(true);
  if (config.databaseUrl === null) {
    throw new AppError(
      'invalid_configuration',
      'This command requires DATABASE_URL, the database shared by all machines.',
    );
  }
  await runUntilStopped(terminal, config, { isWorker: true }, async (app, log) => {
    await app.startWork();
    if (config.baseUrl === null)
      log.info('This process does not deliver notifications because SITEWARDEN_BASE_URL is not set');
    else app.startNotifying({ takesEmails: app.mailer !== null });
    startHeartbeat(join(config.dataDir, ALIVE_FILE), log);
    log.info('Working on reports. Press Ctrl-C to stop');
  });
}
