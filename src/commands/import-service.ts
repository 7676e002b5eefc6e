import { createClient, type Fetch } from '../../packages/client/client.ts';
import { ApiError, OfflineError } from '../../packages/client/errors.ts';
import { type App, createApp } from '../app.ts';
import { AppError } from '../platform/errors.ts';
import { commandLine } from '../platform/invocation.ts';
import { livingWorkers } from '../store/living-workers.ts';
import { createFromService, planFromService, type ServiceCreation } from './imports/create-from-service.ts';
import { readService } from './imports/from-api.ts';
import { printImport } from './imports/print-import.ts';
import { createLocalFetch } from './local-api.ts';
import { serviceAt } from './service-address.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';
import { duration, writeText } from './text-layout.ts';

export interface ServiceImportOptions {
  /** The maximum number of sites from reports to check here; null to import no sites from reports. */
  readonly reports: number | null;
  /** Whether only to show what would be created. */
  readonly dryRun: boolean;
}

/** Maximum number of attempts at a request, and how long one may take. */
const ATTEMPTS = 6;
const REQUEST_TIMEOUT_MS = 60_000;
/** The number of reports after which progress is shown. */
const TOLD_REPORTS = 1_000;

/**
 * Creates the schedules and mutings of an account of another service in the first account of this installation, and checks the
 * sites of its reports on request, except for resources that already exist here.
 * @param address of a service with this API; its token is in the settings
 * @throws AppError invalid_usage if the service cannot be read, invalid if something could not be created
 */
export async function importService(
  terminal: Terminal,
  address: string,
  { reports, dryRun }: ServiceImportOptions,
): Promise<void> {
  const config = terminal.config();
  const service = serviceAt('--service', address, config);
  const { stderr } = terminal;
  await runStoppable(terminal, async (stopped) => {
    const app = await createApp(config, quietLogger(terminal, config), { isLongLived: false });
    const local = createLocalFetch(app, { name: 'sitewarden import', works: false });
    const own = createClient({ url: 'http://127.0.0.1', fetch: local.fetch, signal: stopped });
    const remote = createClient({
      ...service,
      fetch: fetchInTime,
      attempts: ATTEMPTS,
      signal: stopped,
      onWait: (ms, { message }) => writeText(stderr, `${message} Trying again in ${duration(ms / 1_000)}.`),
    });
    try {
      const found = await readService(remote, own, {
        reportsMax: reports,
        onProgress(count) {
          if (count % TOLD_REPORTS === 0) writeText(stderr, `Read ${count} reports …`);
        },
      }).catch((cause: unknown) => {
        if (stopped.aborted) return null;
        throw unreadable(service.url, cause);
      });
      if (found === null || stopped.aborted) return writeText(stderr, 'Nothing was created.');
      const reportsMax = reports ?? 0;
      const created = dryRun
        ? planFromService(found, reportsMax)
        : await createFromService(own, found, { reportsMax, isStopped: () => stopped.aborted });
      printImport(terminal, found, { created, isDryRun: dryRun });
      if (!dryRun) await tellNext(terminal, app, created);
      if (created.refused.length > 0) throw new AppError('invalid', `${created.refused.length} could not be created.`);
    } finally {
      await local.close();
      await terminal.closeInTime(app.close);
    }
  });
}

/** A service that stops responding counts as unreachable. */
const fetchInTime: Fetch = (url, init) => {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
  return fetch(url, { ...init, signal }).catch((cause: unknown) => {
    init.signal?.throwIfAborted();
    throw new OfflineError({ cause });
  });
};

function unreadable(url: string, cause: unknown): unknown {
  if (!(cause instanceof ApiError || cause instanceof OfflineError)) return cause;
  const seconds = cause instanceof ApiError ? cause.retryAfterSeconds : null;
  const again = seconds === null ? '' : ` Run the command again in ${duration(seconds)}.`;
  return new AppError('invalid_usage', `${url} cannot be read: ${cause.message}${again}`, { cause });
}

async function tellNext({ stdout }: Terminal, app: App, { schedules, reports }: ServiceCreation): Promise<void> {
  if (schedules.length > 0) {
    writeText(
      stdout,
      'Deploy hooks have new URLs, which are listed with the schedules. Pause the schedules of the other service.',
    );
  }
  if (reports.length > 0 && (await livingWorkers(app.db)).length === 0)
    writeText(stdout, `The reports will start when the service runs: ${commandLine('serve')}`);
}
