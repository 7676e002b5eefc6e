/** Limits of the settings of a report, of sites and of mutings. Names end with the unit. */

export const startingUrlMaxCharacters = 2_048;
export const initialUrlsMax = 10_000;
/** The same as for exclusions. */
export const inclusionsMax = 1_000;
export const inclusionMaxCharacters = 2_048;
export const exclusionsMax = 1_000;
export const exclusionMaxCharacters = 2_048;
export const tagsMax = 32;
export const tagMaxCharacters = 64;
/** Longer selectors are copied from developer tools, and break with the next change to the page. */
export const selectorMaxCharacters = 256;
/** Characters of a username and of a password, which can be a token. */
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
/** The maximum length of the URLs that it matches. */
export const urlMatchMaxCharacters = 2_048;
/** Longer than the messages of the validator, which quote source. */
export const mutingMessageMaxCharacters = 4_096;
export const commentMaxCharacters = 1_000;
/** Enough to say which site it is. */
export const siteNameMaxCharacters = 200;
/** A few pages of text. */
export const siteNotesMaxCharacters = 10_000;
/** A path, or a name that someone gives it. */
export const siteSourceMaxCharacters = 200;
/** Steps of a login. Long logins have about ten: name, password, one-time password, choice of a tenant. */
export const loginStepsMax = 50;
/** Characters of a URL or of text that shows where a login is. */
export const loginTextMaxCharacters = 1_000;
/** Journeys of a report. Each occupies a page of the browser for its whole duration. */
export const journeysMax = 20;
export const journeyStepsMax = 100;
/** Steps of a journey that check a page. All its documents are saved at once. */
export const marksPerJourneyMax = 20;
