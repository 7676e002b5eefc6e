/** Limits of attributes. Names end with the unit. */

/** Bytes of a list of 100 issues with their places. This process may hold many such lists. */
export const issueListMaxBytes = 1_900_000;
/**
 * Characters shown of the source of a page. Documents have up to 10 MiB, and the text is searched for credentials and made JSON on
 * the event loop, which takes 20 ms for this many.
 */
export const sourceMaxCharacters = 2_000_000;
/** Characters shown of a page's `Content-Type`, which servers can make arbitrarily long. */
export const contentTypeMaxCharacters = 500;
export const startingUrlMaxCharacters = 2_048;
export const initialUrlsMax = 10_000;
export const exclusionsMax = 1_000;
export const exclusionMaxCharacters = 2_048;
export const tagsMax = 32;
export const tagMaxCharacters = 64;
/** Longer selectors are copied from developer tools, and break with the next change of the page. */
export const selectorMaxCharacters = 256;
/** Characters of a user name and of a password, which can be a token. */
export const credentialMaxCharacters = 4_096;
export const siteHeadersMax = 32;
export const siteHeaderNameMaxCharacters = 128;
/** Characters of all names and values. Servers rarely accept more in a request. */
export const siteHeadersMaxCharacters = 16_384;
/** The number that browsers should support for a site (RFC 6265, 6.1). */
export const siteCookiesMax = 50;
/** Characters of the name and value of a cookie. Browsers drop longer ones. */
export const siteCookieMaxCharacters = 4_096;
/** Characters of all cookies, which are sent in one header. */
export const siteCookiesMaxCharacters = 8_192;
/** Web pages that one request checks again: as many as a report has by default at most. */
export const recheckedPagesMax = 10_000;
/** Far more than anyone uses, and exact as a number. */
export const guestUsageMaxCredits = 1_000_000_000;
/** Enough to describe the purpose of a token. */
export const tokenNameMaxCharacters = 200;
/** The same for a notification channel. */
export const channelNameMaxCharacters = 200;
/** Schedules that a notification channel is limited to: one for everything has no list. */
export const channelSchedulesMax = 100;
/** The maximum length of the URLs that it matches. */
export const urlMatchMaxCharacters = 2_048;
/** Characters of the markup, extract and selector of a place in lists over several pages, which show a hundred. */
export const placeTextMaxCharacters = 500;
/** Characters of what axe says to fix at a place. Ordinary ones have 50 to 600. */
export const failureSummaryMaxCharacters = 1_000;
/** Longer than the messages of the validator, which quote source. */
export const mutingMessageMaxCharacters = 4_096;
export const commentMaxCharacters = 1_000;
/** As long as anyone would type into a search field. */
export const searchTextMaxCharacters = 200;
/** Messages may have thousands, and a result is a line. */
export const searchTitleMaxCharacters = 200;
/** Searches of a process at a time: each uses a connection, of which most are for other requests. */
export const searchesMax = 2;
