import { isDeepStrictEqual } from 'node:util';
import type { SiteAccess } from '../domain/site-access.ts';
import { AppError } from '../platform/errors.ts';
import { inTransaction } from '../store/database.ts';
import { lockSchedule, type ScheduleSettings, updateSettings } from '../store/schedules.ts';
import { announceWork } from '../store/work-topics.ts';
import { firstRun, type ScheduleParts, setSiteAccess } from './create-schedule.ts';

/** What a schedule is before a change. */
export interface CurrentSettings extends Omit<ScheduleSettings, 'siteAccess'> {
  readonly signsIn: boolean;
  /** @throws AppError conflict when what is stored cannot be decrypted */
  siteAccess(): SiteAccess;
}

export type ScheduleChange = (current: CurrentSettings) => ScheduleSettings;

/**
 * Changes a schedule. The next run moves only with the days on which it runs: a run that is due is not lost because
 * somebody corrects a tag.
 */
export function changeSchedule(parts: ScheduleParts, id: string, change: ScheduleChange): Promise<void> {
  return inTransaction(parts.db, async (trx) => {
    const current = await lockSchedule(trx, id);
    if (current === undefined) throw new AppError('not_found', 'There is no such schedule.');
    const { definition, periodicity, active, site_access: sealed } = current;
    const siteAccess = () => parts.credentialStore.open(sealed, `schedule ${id}`);
    const settings = change({ definition, periodicity, active, signsIn: sealed !== null, siteAccess });
    const isSame = settings.active === active && isDeepStrictEqual(settings.periodicity, periodicity);
    await updateSettings(trx, id, settings, isSame ? current.next_run_at : firstRun(settings, parts));
    await setSiteAccess(trx, parts.credentialStore, id, settings);
    await announceWork(trx, ['schedule']);
  });
}
