import { type App, createApp } from '../app.ts';
import { type Config, reasonForPrivateNetworks } from '../config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs the app until the process should end, and closes it.
 * @throws what `start` throws, and the AppError of a database that is lost for good, so that the service manager restarts
 *   the process
 */
export async function runUntilStopped(
  terminal: Terminal,
  config: Config,
  { isWorker }: { readonly isWorker: boolean },
  start: (app: App, log: Logger) => Promise<void>,
): Promise<void> {
  const log = createLogger({ level: config.logLevel, format: config.logFormat }, terminal.log);
  const stopped = terminal.untilStopped();
  const app = await createApp(config, log, { isLongLived: true });
  try {
    await start(app, log);
    const may = config.allowPrivateNetworks ? 'may' : 'may not';
    log.info({ reason: reasonForPrivateNetworks(config, isWorker) }, `Sites on private networks ${may} be checked`);
    const lost = await Promise.race([stopped.then(() => undefined), app.lost]);
    if (lost !== undefined) throw lost;
    terminal.stdout.write('Stopping …\n');
  } finally {
    await terminal.closeInTime(app.close);
  }
}
