/** The limits of this room, in one place, the unit last. */

/** A body of more bytes is refused (decisions.md). */
export const bodyMaxBytes = 1_048_576;
/** Until the rest of a refused body must have arrived: whoever is slower gets the answer and a closed connection. */
export const discardTimeoutMs = 2_000;
/** Shorter answers are sent as they are: they fit into one packet, and compressing saves nothing. */
export const compressedMinBytes = 1_024;
/** Until a whole request must have arrived. */
export const requestTimeoutMs = 60_000;
/** After this a closing server cuts the requests that are still under way: one that never ends must not keep it alive. */
export const closeGraceMs = 3_000;
/** After this long, a client may ask again what the database could not serve: an embedded one is back by then. */
export const unavailableRetryS = 5;
/** Ids are shorter than this; longer ones are not looked for. */
export const pathParameterMaxCharacters = 100;

/** Errors in one answer: nobody mends more at a time, and a body has room for 50,000 unknown attributes. */
export const errorsMax = 100;
/** Characters of the name of an attribute or a parameter that an error repeats. Ours are all shorter. */
export const nameInErrorMaxCharacters = 100;

export const pageSizeDefault = 25;
export const pageSizeMax = 100;
/** Far past the end of every list, and still exact as a number of rows. */
export const pageNumberMax = 1_000_000_000;

/** Bytes of a list of 100 issues of a page with their places. Clients hold many, and so does this process. */
export const issueListMaxBytes = 1_900_000;
/** Characters of a page's `Content-Type` that are shown; servers name whatever they like. */
export const contentTypeMaxCharacters = 500;

export const startingUrlMaxCharacters = 2_048;
export const initialUrlsMax = 10_000;
export const exclusionsMax = 1_000;
export const exclusionMaxCharacters = 2_048;
export const tagsMax = 32;
export const tagMaxCharacters = 64;
/** Longer ones are copied from developer tools, and break with the next change of the page. */
export const selectorMaxCharacters = 256;

/** Characters of a user name and of a password; tokens are given as passwords, too. */
export const credentialMaxCharacters = 4_096;
export const siteHeadersMax = 32;
export const siteHeaderNameMaxCharacters = 128;
/** Of all names and values together: what servers take of a whole request is rarely more. */
export const siteHeadersMaxCharacters = 16_384;
/** As many as the standard asks browsers to keep for a site (RFC 6265, 6.1). */
export const siteCookiesMax = 50;
/** Of name and value of one cookie: browsers keep no longer ones. */
export const siteCookieMaxCharacters = 4_096;
/** Of all of them together, which go in one line. */
export const siteCookiesMaxCharacters = 8_192;

/** Far more than anybody has, and exact as a number. */
export const guestUsageMaxCredits = 1_000_000_000;
/** Enough to say what a token is for. */
export const tokenNameMaxCharacters = 200;
/** Room for every kind of unique id, and no more. */
export const idempotencyKeyMaxCharacters = 255;
/** Keys of one account within the day that they count: each keeps an answer. It is one every 9 seconds. */
export const idempotencyKeysMax = 10_000;

/** As long as the URLs that it is to be found in. */
export const urlMatchMaxCharacters = 2_048;
/** Longer than the validator's messages, which quote what is wrong. */
export const mutingMessageMaxCharacters = 4_096;
export const commentMaxCharacters = 1_000;
