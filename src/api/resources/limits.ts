/** The limits of attributes, the unit last. */

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
/** As long as the URLs that it is to be found in. */
export const urlMatchMaxCharacters = 2_048;
/** Longer than the validator's messages, which quote what is wrong. */
export const mutingMessageMaxCharacters = 4_096;
export const commentMaxCharacters = 1_000;
