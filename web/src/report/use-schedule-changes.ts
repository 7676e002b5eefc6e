import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { changeSchedule, deleteSchedule, runSchedule } from '../api/changes/schedules.ts';
import type { Item, List } from '../api/client.ts';
import { useChange } from '../live/use-change.ts';
import { useToast } from '../parts/toast.tsx';

type Schedule = Item<'schedule'>;

interface ScheduleChanges {
  /** Turns a schedule on or off. The change shows at once, and is reverted with the reason if it is refused. */
  setActive(schedule: Schedule, active: boolean): Promise<void>;
  /** Starts a run, and shows a message. */
  runNow(schedule: Schedule): Promise<void>;
  /** @throws ApiError if it is refused */
  remove(schedule: Schedule): Promise<void>;
}

/** Returns the actions on schedules. */
export function useScheduleChanges(): ScheduleChanges {
  const queries = useQueryClient();
  const change = useChange();
  const navigate = useNavigate();
  const say = useToast();
  return useMemo(() => {
    const refresh = (...keys: readonly string[]) =>
      Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
    return {
      async setActive(schedule, active) {
        await queries.cancelQueries({ queryKey: ['schedules'] });
        const apply = (item: Schedule): Schedule => (item.id === schedule.id ? { ...item, active } : item);
        queries.setQueriesData<List<'schedule'> | Schedule>({ queryKey: ['schedules'] }, (data) => {
          if (data === undefined) return data;
          return 'items' in data ? { ...data, items: data.items.map(apply) } : apply(data);
        });
        await change(() => changeSchedule(schedule.id, { active }));
        await refresh('schedules', 'sites');
      },
      async runNow(schedule) {
        await change(async () => {
          const report = await runSchedule(schedule.id);
          say('Run started.', { title: 'Open', run: () => void navigate({ to: `/reports/${report.id}` }) });
        });
        await refresh('schedules', 'sites', 'reports');
      },
      async remove(schedule) {
        await deleteSchedule(schedule.id);
        await refresh('sites');
      },
    };
  }, [queries, change, navigate, say]);
}
