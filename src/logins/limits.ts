/** Limits of logins. Names end with the unit. */

/** How long an element may take to appear, as pages with scripts do. */
export const stepTimeoutMs = 10_000;
/** How long a page may take to open. */
export const openTimeoutMs = 20_000;
/** How long `wait_for` waits: some identity providers take this long. */
export const waitTimeoutMs = 30_000;
/** How long something that is expected may take. */
export const expectTimeoutMs = 5_000;
/** How long the page at the end may take to show that the login has worked. */
export const endTimeoutMs = 15_000;
/** How often a page is asked whether something holds. */
export const pollMs = 100;
/** How long the page at the end may go on loading: scripts store tokens when responses arrive. */
export const idleTimeoutMs = 3_000;
/** The whole login, without waits for one-time passwords. */
export const loginTimeoutMs = 120_000;
/** How long a page may take to show whether a session has ended. */
export const probeTimeoutMs = 45_000;
/** How long a reservation lasts after the process that holds it has last extended it. */
export const loginLeaseMs = 60_000;
/** How often it is extended. */
export const leaseExtendedMs = 15_000;
/** How often others ask whether a login has ended. */
export const leasePollMs = 300;
/** A site that ends sessions more often than this cannot be checked. */
export const loginsPerReportMax = 100;
/** How long the logins of a report may take together: while one takes place, its checks wait. Looks at sessions do not count. */
export const loginsTimeMaxMs = 60 * 60 * 1_000;
/** How often a page is requested, rendered or checked whose session has ended each time: the page may be what ends it. */
export const sessionEndsMax = 3;
/** Doubts of the same kind that were wrong in a row, after which such doubts are ignored. */
export const vainDoubtsMax = 5;
/** After this many wrong doubts about missing pages, one in this number is followed. */
export const missingFollowedEach = 10;
/** Wrong doubts of the same sign and origin, after which such doubts are only followed now and then. */
export const vainDoubtsOfSortMax = 20;
/** How long they are not followed after the session was last looked at. */
export const doubtsRestMs = 60_000;
/** How many reports and sorts of doubts are remembered for that. */
export const doubtingReportsMax = 200;
export const doubtHabitsMax = 200;
/** Values of earlier sessions of a report that are still masked: the newest. */
export const maskedValuesMax = 1_000;
/** How long a login waits for a one-time password that no other login has used. */
export const codeWaitMaxMs = 10 * 60 * 1_000;
/** How long a session is used: longer than any report takes that is not stuck. */
export const sessionMaxMs = 24 * 60 * 60 * 1_000;
/** Pauses before each further attempt of a login, if the site was down or the browser failed before a secret was entered. */
export const firstLoginPausesMs = [2_000, 10_000] as const;
/** The same for later logins of a report: an outage of a few minutes should not end it. */
export const laterLoginPausesMs = [2_000, 10_000, 30_000, 60_000, 120_000] as const;
/** Pauses before a session is looked at again, if the site or the browser did not show whether it has ended. */
export const probePausesMs = [2_000, 10_000] as const;
/** A login or a journey that is tried, with waits for a free page and for one-time passwords. */
export const testTimeoutMs = 240_000;
/** How long others wait for the end of a try whose process was killed. */
export const tryLeaseMs = testTimeoutMs + 30_000;
/** The pause before a screenshot, in which the effect of a step appears, and how long a page may go on loading. */
export const shownPauseMs = 200;
export const shownLoadMs = 3_000;
/** How long a screenshot of a step may take. */
export const shownTimeoutMs = 8_000;
/** The width of screenshots: enough to read what a page says. */
export const shownWidthPixels = 640;
