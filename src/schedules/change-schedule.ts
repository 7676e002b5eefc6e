import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../platform/errors.ts';
import { announceWork } from '../queue/worker.ts';
import { inTransaction } from '../store/database.ts';
import { lockSchedule, type ScheduleSettings, updateSettings } from '../store/schedules.ts';
import { firstRun, type ScheduleParts } from './create-schedule.ts';

/**
 * Changes a schedule. The next run moves only with the days on which it runs: a run that is due is not lost because
 * somebody corrects a tag.
 */
export function changeSchedule(
  parts: ScheduleParts,
  id: string,
  change: (current: ScheduleSettings) => ScheduleSettings,
): Promise<void> {
  return inTransaction(parts.db, async (trx) => {
    const current = await lockSchedule(trx, id);
    if (current === undefined) throw new AppError('not_found', 'There is no such schedule.');
    const settings = change(current);
    const isSame = settings.active === current.active && isDeepStrictEqual(settings.periodicity, current.periodicity);
    await updateSettings(trx, id, settings, isSame ? current.next_run_at : firstRun(settings, parts));
    await announceWork(trx, ['schedule']);
  });
}
