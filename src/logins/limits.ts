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
/** A process that takes longer for a login has ended: waits for a one-time password, a slot and the login itself. */
export const loginLeaseMs = 300_000;
/** How often others ask whether a login has ended. */
export const leasePollMs = 300;
/** A site that ends sessions more often than this cannot be checked. */
export const loginsPerReportMax = 100;
/** How long a session is used: longer than any report takes that is not stuck. */
export const sessionMaxMs = 24 * 60 * 60 * 1_000;
/** Cookies and storage that are kept of a login. Browsers allow more, which sites do not use for sessions. */
export const sessionCookiesMax = 200;
export const storageMaxCharacters = 500_000;
/** Characters of one stored value. Longer ones are caches. */
export const storedValueMaxCharacters = 100_000;
/** Logins after failures that a second attempt may not have. */
export const loginAttemptsMax = 2;
/** A login that is tried, with waits for a free page and for one-time passwords. */
export const testTimeoutMs = 240_000;
/** The pause before a screenshot, in which the effect of a step appears, and how long a page may go on loading. */
export const shownPauseMs = 200;
export const shownLoadMs = 3_000;
/** How long a screenshot of a step may take. */
export const shownTimeoutMs = 8_000;
/** The width of screenshots: enough to read what a page says. */
export const shownWidthPixels = 640;
