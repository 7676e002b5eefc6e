/** The limits of this room, in one place, the unit last. */

/** Schedules of one account: more sites than anybody has, and few enough to run on one day. */
export const schedulesMax = 1_000;
/** Calls of a deploy hook that come sooner after one that made a report get the same report (decisions.md). */
export const repeatedCallMaxMs = 10_000;
/** A schedule that met a fault of ours, or found too many reports waiting, is left alone this long by that process. */
export const restAfterFaultMs = 60_000;
/** The same where the database was away, read-only or busy: others that are due go first, and then it is its turn again. */
export const restWhilePassingMs = 3_000;
/** The clock is looked at again after at most this long: it may have been set, or the machine may have slept. */
export const timerMaxMs = 3_600_000;
