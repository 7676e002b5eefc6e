/** Limits of attributes. Names end with the unit. */

/** Bytes of a list of 100 issues with their occurrences. This process may hold many such lists. */
export const issueListMaxBytes = 1_900_000;
/**
 * Characters shown of the source of a page. Documents have up to 10 MiB, and the text is searched for credentials and converted
 * to JSON on the event loop, which takes 20 ms for this many.
 */
export const sourceMaxCharacters = 2_000_000;
/** Characters shown of a page's `Content-Type`, which servers can make arbitrarily long. */
export const contentTypeMaxCharacters = 500;
/** Web pages that one request checks again: the default maximum number of pages of a report. */
export const recheckedPagesMax = 10_000;
/** Sites that one request runs or changes: this many take seconds. */
export const sitesSelectedMax = 1_000;
/** Reports that one request deletes with their sites: this many take about ten seconds, after which clients show the progress. */
export const reportsDeletedMax = 2_000;
/** Far more than anyone uses, and still exact as a JavaScript number. */
export const guestUsageMaxCredits = 1_000_000_000;
/** Enough to describe the purpose of a token. */
export const tokenNameMaxCharacters = 200;
/** The same for a notification channel. */
export const channelNameMaxCharacters = 200;
/** Schedules that a notification channel is limited to: a channel for all schedules has no list. */
export const channelSchedulesMax = 100;
/** Characters of axe's instructions for an occurrence. Most have 50 to 600. */
export const failureSummaryMaxCharacters = 1_000;
/** Rows of each list in the comparison of a site: as many as people read. */
export const comparedRowsMax = 100;
/** The same in files. A row has up to 2,000 characters. */
export const exportedRowsMax = 10_000;
/** Reports in the trend of a shared site. */
export const sharedRunsMax = 100;
/** The same in lists of sites. */
export const listedRunsMax = 12;
/** Enough for the name of a client. */
export const shareLinkNameMaxCharacters = 200;
/** As long as anyone would type into a search field. */
export const searchTextMaxCharacters = 200;
/** Messages may have thousands of characters, but a search result is one line. */
export const searchTitleMaxCharacters = 200;
/** Searches of a process at a time: each uses a connection, and most connections are for other requests. */
export const searchesMax = 2;
