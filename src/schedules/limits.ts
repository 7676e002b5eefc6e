/** Schedules of one account: more than anyone needs, and few enough to run on one day. */
export const schedulesMax = 1_000;
/** Calls of a deploy hook within this time after one that created a report return the same report. */
export const repeatedCallMaxMs = 10_000;
/** How long a process skips a schedule after an unexpected error, or if too many reports are waiting. */
export const restAfterFaultMs = 60_000;
/** The same if the database was unavailable, read-only or busy. */
export const restWhilePassingMs = 3_000;
/** The longest timer: the clock may be set, or the machine may sleep meanwhile. */
export const timerMaxMs = 3_600_000;
