import { type Doubt, habitOf, sortOf } from '../domain/session-end.ts';
import { remembering } from '../platform/bounded-cache.ts';
import {
  doubtHabitsMax,
  doubtingReportsMax,
  doubtsRestMs,
  missingFollowedEach,
  vainDoubtsMax,
  vainDoubtsOfSortMax,
} from './limits.ts';

interface Habits {
  readonly ofHabit: Map<string, number>;
  readonly ofSort: Map<string, number>;
  lastLookAt: number;
  /** Doubts about missing pages that were ignored since the session began. */
  missingIgnored: number;
}

/**
 * Remembers which doubts about the sessions of a report were wrong, such as password fields on all pages: each check of the
 * session takes up a page in the browser.
 * @param now returns the present time in milliseconds
 */
export function createDoubtHabits(now: () => number = () => performance.now()) {
  const habitsOf = remembering(doubtingReportsMax, (): Habits => {
    return { ofHabit: new Map(), ofSort: new Map(), lastLookAt: Number.NEGATIVE_INFINITY, missingIgnored: 0 };
  });
  return {
    /**
     * Returns whether all of these doubts can be ignored. Some doubts about missing pages are still followed: nothing else may
     * show that a session has ended.
     */
    areVain(reportId: string, doubts: readonly Doubt[]): boolean {
      const habits = habitsOf(reportId);
      const isResting = now() - habits.lastLookAt < doubtsRestMs;
      return doubts.every((doubt) => {
        const habit = habitOf(doubt);
        if ((habits.ofSort.get(sortOf(doubt)) ?? 0) >= vainDoubtsOfSortMax && isResting) return true;
        if (habit === null || (habits.ofHabit.get(habit) ?? 0) < vainDoubtsMax) return false;
        if (doubt.sign !== 'missing') return true;
        habits.missingIgnored += 1;
        return habits.missingIgnored % missingFollowedEach !== 0;
      });
    },
    /** @param wereVain whether the session had not ended */
    learn(reportId: string, doubts: readonly Doubt[], wereVain: boolean): void {
      const habits = habitsOf(reportId);
      habits.lastLookAt = now();
      if (!wereVain) {
        habits.missingIgnored = 0;
        habits.ofHabit.clear();
        habits.ofSort.clear();
        return;
      }
      count(habits.ofHabit, doubts.map(habitOf));
      count(habits.ofSort, doubts.map(sortOf));
    },
  };
}

/** Counts each name once, while there is space for more names. */
function count(counts: Map<string, number>, names: readonly (string | null)[]): void {
  for (const name of new Set(names)) {
    if (name === null || (counts.size >= doubtHabitsMax && !counts.has(name))) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
}
