import { type Doubt, habitOf } from '../domain/session-end.ts';
import { remembering } from '../platform/bounded-cache.ts';
import { doubtHabitsMax, doubtingReportsMax, vainDoubtsMax } from './limits.ts';

/**
 * Remembers which doubts about the sessions of a report were in vain, such as password fields on all pages: to look at the
 * session costs a page in the browser each time.
 */
export function createDoubtHabits() {
  const habitsOf = remembering(doubtingReportsMax, () => new Map<string, number>());
  return {
    /** Returns whether all of these doubts can be ignored. */
    areVain(reportId: string, doubts: readonly Doubt[]): boolean {
      const habits = habitsOf(reportId);
      return doubts.every((doubt) => {
        const habit = habitOf(doubt);
        return habit !== null && (habits.get(habit) ?? 0) >= vainDoubtsMax;
      });
    },
    /** @param wereVain whether the session had not ended */
    learn(reportId: string, doubts: readonly Doubt[], wereVain: boolean): void {
      const habits = habitsOf(reportId);
      if (!wereVain) habits.clear();
      for (const habit of wereVain ? new Set(doubts.map(habitOf)) : []) {
        if (habit === null || (habits.size >= doubtHabitsMax && !habits.has(habit))) continue;
        habits.set(habit, (habits.get(habit) ?? 0) + 1);
      }
    },
  };
}
