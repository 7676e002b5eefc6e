/** Limits of tool results, since all of them take up the context of agents. Names end with the unit. */

/** Longer results end early, with a note. */
export const answerMaxCharacters = 12_000;
/** Texts from the checked site. */
export const siteTextMaxCharacters = 240;
/** URLs from the checked site: longer ones are rare, and useless when shortened. */
export const siteUrlMaxCharacters = 500;
/** Items of a list, unless the agent asks for fewer or more. */
export const itemsDefault = 10;
export const itemsMax = 25;
/** Issue types to read from a page: the maximum that a request returns. */
export const issueTypesOfPageMax = 100;
/** Occurrences of an issue on a page that are listed with their line. */
export const occurrencesOfIssueMax = 5;
/** Pages that could not be checked, with their reasons. */
export const failedPagesMax = 5;
/** Most clients give up on a tool after 60 s. */
export const waitDefaultSeconds = 45;
export const waitMaxSeconds = 300;
/** The pause between requests while waiting: each request counts toward the limit of the token. */
export const pollMs = 1_000;
/** How long to wait for the changes and the fix plan once a report has ended. 10,000 pages take about 10 s. */
export const answersWaitMs = 5_000;
/** Pages that can be named for a re-check. */
export const recheckedPagesMax = 25;
/** JSON-RPC messages are small: they carry ids and URLs. */
export const messageMaxBytes = 65_536;
/** Responses of the API that a tool reads whole: the largest are lists of reports with long exclusions. */
export const answerMaxBytes = 33_554_432;
/** Messages of an account in progress at a time: tools may wait for minutes. */
export const messagesMax = 20;
export const tooManyMessagesRetryS = 10;
