import { hostname } from 'node:os';
import { type App, createApp } from '../app.ts';
import { type Config, givenSettings, reasonForPrivateNetworks } from '../config.ts';
import { type MetricsServer, serveMetrics } from '../metrics/serve-metrics.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { VERSION } from '../platform/version.ts';
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
  const startedAt = performance.now();
  const log = createLogger({ level: config.logLevel, format: config.logFormat }, terminal.log);
  const stopped = terminal.untilStopped();
  const app = await createApp(config, log, { isLongLived: true, isWorker });
  let signal: NodeJS.Signals | undefined;
  let metrics: MetricsServer | null = null;
  try {
    metrics = await serveMetricsOf(app, config, log);
    await start(app, log);
    const about = { version: VERSION, pid: process.pid, host: hostname(), ms: msSince(startedAt) };
    log.info(config.logFormat === 'json' ? { ...about, settings: givenSettings() } : about, 'Started');
    const may = config.allowPrivateNetworks ? 'may' : 'may not';
    log.info({ reason: reasonForPrivateNetworks(config, isWorker) }, `Sites on private networks ${may} be checked`);
    const end = await Promise.race([stopped, app.lost]);
    if (end instanceof Error) throw end;
    signal = end;
    terminal.stdout.write('Stopping …\n');
    if (signal === 'SIGTERM' && !isWorker && config.drainMs > 0) {
      app.drain();
      log.info({ seconds: config.drainMs / 1_000 }, 'Draining: not ready, but still responding');
      await terminal.waitToClose(config.drainMs);
    }
  } finally {
    const stoppingAt = performance.now();
    await terminal.closeInTime(async () => void (await Promise.all([metrics?.close(), app.close()])));
    log.info({ signal, ms: msSince(stoppingAt) }, 'Stopped');
  }
}

/** Serves the metrics of a process on a separate port, if one is set. @throws AppError port_in_use */
async function serveMetricsOf(
  app: App,
  { host, metricsPort: port, metricsToken: token }: Config,
  log: Logger,
): Promise<MetricsServer | null> {
  return port === null ? null : serveMetrics(app.metrics, { host, port, token }, log);
}

function msSince(then: number): number {
  return Math.round(performance.now() - then);
}
