import { type Client, createClient } from '../../packages/client/client.ts';
import { ApiError, OfflineError } from '../../packages/client/errors.ts';
import type { NewMutingAttributes, NewScheduleAttributes } from '../../packages/client/schema.ts';
import { createApp } from '../app.ts';
import { plural } from '../platform/amounts.ts';
import { AppError } from '../platform/errors.ts';
import { type ApiImport, readService } from './imports/from-api.ts';
import { createLocalFetch } from './local-api.ts';
import { serviceAt } from './service-address.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

/**
 * Creates the schedules and mutings of an account of another service in the first account of this installation, except for those
 * that it has already.
 * @param address of a service with this API; its token is that of the settings
 * @throws AppError invalid_usage if the service cannot be read
 */
export async function importService(
  terminal: Terminal,
  address: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<void> {
  const config = terminal.config();
  const service = serviceAt('--service', address, config);
  await runStoppable(terminal, async () => {
    const app = await createApp(config, quietLogger(terminal, config), { isLongLived: false });
    const local = createLocalFetch(app, { name: 'sitewarden import', works: false });
    const own = createClient({ url: 'http://127.0.0.1', fetch: local.fetch });
    try {
      const found = await readService(createClient(service), own).catch((cause: unknown) => {
        throw unreadable(service.url, cause);
      });
      const { refused, ...created } = dryRun ? { ...found, refused: [] } : await createAll(own, found);
      tell(terminal, { ...found, ...created }, { dryRun, refused });
      if (refused.length > 0) throw new AppError('invalid', `${refused.length} could not be created.`);
    } finally {
      await local.close();
      await terminal.closeInTime(app.close);
    }
  });
}

function unreadable(url: string, cause: unknown): unknown {
  if (!(cause instanceof ApiError || cause instanceof OfflineError)) return cause;
  return new AppError('invalid_usage', `${url} cannot be read: ${cause.message}`, { cause });
}

/** @returns what was created, and why the rest was refused */
async function createAll(
  own: Client,
  { schedules, mutings }: ApiImport,
): Promise<Pick<ApiImport, 'schedules' | 'mutings'> & { readonly refused: readonly string[] }> {
  const created = { schedules: [] as NewScheduleAttributes[], mutings: [] as NewMutingAttributes[] };
  const refused: string[] = [];
  const attempt = async (title: string, create: () => Promise<unknown>): Promise<void> => {
    try {
      await create();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push(`${title} was refused: ${error.message}`);
    }
  };
  for (const schedule of schedules) {
    await attempt(`The schedule of ${schedule.starting_url}`, async () => {
      await own.create<'schedule'>('/schedules', schedule);
      created.schedules.push(schedule);
    });
  }
  for (const muting of mutings) {
    await attempt(`The muting of "${muting.message}"`, async () => {
      await own.create<'muting'>('/mutings', muting);
      created.mutings.push(muting);
    });
  }
  return { ...created, refused };
}

function tell(
  { stdout, stderr }: Terminal,
  { schedules, mutings, present, remarks }: ApiImport,
  { dryRun, refused }: { readonly dryRun: boolean; readonly refused: readonly string[] },
): void {
  for (const line of [...remarks, ...refused]) writeText(stderr, line);
  for (const { starting_url: url, periodicity } of schedules) {
    writeText(stdout, `schedule  ${periodicity.every.padEnd(6)}  ${url}`);
  }
  for (const { url_match: url, message } of mutings) writeText(stdout, `muting    ${message}  on ${url}`);
  const taken = `${plural(schedules.length, 'schedule')} and ${plural(mutings.length, 'muting')}`;
  const rest = `${present} ${present === 1 ? 'is' : 'are'} here already`;
  writeText(stdout, dryRun ? `Would create ${taken}; ${rest}. Nothing was created.` : `Created ${taken}; ${rest}.`);
  if (!dryRun && schedules.length > 0) {
    writeText(
      stdout,
      'Deploy hooks have new addresses: the schedules show them. Pause the schedules of the other service.',
    );
  }
}
