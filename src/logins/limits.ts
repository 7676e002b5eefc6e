/** Limits of logins. Names end with the unit. */

/** How long an element may take to appear, because scripts can add it late. */
export const stepTimeoutMs = 10_000;
/** How long a page may take to open. */
export const openTimeoutMs = 20_000;
/** How long `wait_for` waits: some identity providers take this long. */
export const waitTimeoutMs = 30_000;
/** How long something that is expected may take to appear. */
export const expectTimeoutMs = 5_000;
/** How long the page at the end may take to show that the login has worked. */
export const endTimeoutMs = 15_000;
/** The interval at which a condition of a page is checked. */
export const pollMs = 100;
/** How long the page at the end may go on loading: scripts store tokens when responses arrive. */
export const idleTimeoutMs = 3_000;
/** How long the whole login may take, without waits for one-time passwords. */
export const loginTimeoutMs = 120_000;
/** How long a page may take to show whether a session has ended. */
export const probeTimeoutMs = 45_000;
/** How long a reservation lasts after the process that holds it has last extended it. */
export const loginLeaseMs = 60_000;
/** How often a reservation is extended. */
export const leaseExtendedMs = 15_000;
/** How often work that waits for a login checks whether it has ended. */
export const leasePollMs = 300;
/** A site that ends sessions more often than this cannot be checked. */
export const loginsPerReportMax = 100;
/** How long all logins of a report may take together, since its checks wait for them. Checks of sessions do not count. */
export const loginsTimeMaxMs = 60 * 60 * 1_000;
/** How often a page is requested, rendered or checked if the session has ended each time: the page may be what ends it. */
export const sessionEndsMax = 3;
/** After this many wrong doubts of the same kind in a row, such doubts are ignored. */
export const vainDoubtsMax = 5;
/** Of the doubts about missing pages that could be ignored, one in this number is followed. */
export const missingFollowedEach = 10;
/** After this many wrong doubts of the same sign and origin, such doubts are only followed now and then. */
export const vainDoubtsOfSortMax = 20;
/** How long such doubts are ignored after the session was last checked. */
export const doubtsRestMs = 60_000;
/** How many reports, and how many sorts of doubts per report, are remembered for this. */
export const doubtingReportsMax = 200;
export const doubtHabitsMax = 200;
/** Maximum number of secret values of a report's sessions that are masked; the newest are kept. */
export const maskedValuesMax = 1_000;
/** How long a login waits for a one-time password that no other login has used. */
export const codeWaitMaxMs = 10 * 60 * 1_000;
/** How long a session is used: longer than any report takes unless it is stuck. */
export const sessionMaxMs = 24 * 60 * 60 * 1_000;
/** Pauses before each new attempt to log in, if the site was down or the browser failed before a secret was entered. */
export const firstLoginPausesMs = [2_000, 10_000] as const;
/** The same for later logins of a report: an outage of a few minutes should not end it. */
export const laterLoginPausesMs = [2_000, 10_000, 30_000, 60_000, 120_000] as const;
/** Pauses before a session is checked again, if the site or the browser did not show whether it has ended. */
export const probePausesMs = [2_000, 10_000] as const;
/** How long it may take to try a login or a journey, with waits for a free page and for one-time passwords. */
export const testTimeoutMs = 240_000;
/** How long other requests wait for the end of an attempt whose process was killed. */
export const tryLeaseMs = testTimeoutMs + 30_000;
/** The pause before a screenshot, in which the effect of a step appears, and how long a page may go on loading. */
export const shownPauseMs = 200;
export const shownLoadMs = 3_000;
/** How long a screenshot of a step may take. */
export const shownTimeoutMs = 8_000;
/** The width of screenshots: enough to read what a page says. */
export const shownWidthPixels = 640;
