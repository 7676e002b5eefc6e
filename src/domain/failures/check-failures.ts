import { formatNumber } from '../amounts.ts';

/** The work that a browser did on a page. */
type Work = 'check' | 'rendering' | 'login' | 'journey';
/** Whose credits ran out: the account's, or the guest's for this month. */
type Payer = 'account' | 'guest';

interface Seconds {
  readonly seconds: number;
}
interface Url {
  readonly url: string;
}
/** A message of another program. */
interface Text {
  readonly text: string;
}

const WORKS: Readonly<Record<Work, string>> = {
  check: 'The accessibility check',
  rendering: 'The rendering',
  login: 'The login',
  journey: 'The journey',
};
const inspectMemory = 'Open it in a browser and inspect its memory with the developer tools.';

/** Failures of checks and renderings of pages that have a document. */
export const CHECK_FAILURES = {
  validator_unavailable: ({ text }: Text) => `The HTML validator is not available: ${text}`,
  validator_silent: ({ text }: Text) => `The HTML validator did not respond: ${text}`,
  validator_error_status: ({ status }: { readonly status: number }) =>
    `The HTML validator returned an unusable response (status ${status})`,
  validator_unusable_answer: () => 'The HTML validator returned an unusable response',
  validator_gave_up: ({ text }: Text) => text,
  validator_timeout: ({ seconds }: Seconds) =>
    `The HTML validator took longer than ${seconds} seconds. The page is very large or has a very large number of errors.`,
  entities_too_long: ({ characters }: { readonly characters: number }) =>
    `The entities that the page declares (<!ENTITY ...>) expand it by more than ${formatNumber(characters)} characters, or are nested too deeply. Replace them with the text they stand for`,
  html_answer_too_large: ({ mebibytes, text }: { readonly mebibytes: number; readonly text: string | null }) =>
    `The page has more HTML errors than a report can hold: over ${mebibytes} MiB. ` +
    'One error is probably repeated throughout the page: fix it and check the page again.' +
    (text === null ? '' : ` The last error read: ${text}`),
  a11y_answer_too_large: ({ characters }: { readonly characters: number }) =>
    `The page has more accessibility issues than a report can hold: over ${formatNumber(characters)} characters. ` +
    'Split it into several pages, or shorten its very long class names and ids, which every issue repeats.',
  too_much_found: () =>
    'The page has more issues than a report can hold. ' +
    'Split it into several pages, or fix the issues that are repeated throughout it, then check it again.',
  interpretation_timeout: ({ seconds }: Seconds) =>
    `The results of the check could not be matched with the source of the page within ${seconds} seconds. ` +
    'The page is very large, or its elements are nested very deeply. Split it into several pages and check it again.',

  page_late: ({ seconds }: Seconds) => `The browser did not receive the page within ${seconds} seconds.`,
  page_is_download: () => 'Browsers download the page instead of showing it (see its Content-Disposition).',
  page_not_shown: ({ text }: Text) => `The browser refused to show the page (${text}).`,
  cookie_refused: () =>
    "The browser rejects one of the report's cookies. Cookies whose names begin with __Secure- or __Host- are " +
    'only accepted over HTTPS: use an https:// starting URL, or update the cookies',
  leads_on: ({ url }: Url) =>
    `The page redirects to ${url} before a browser has read all of it, so visitors never see it. ` +
    'Check that URL instead, and redirect to it with an HTTP status code.',
  replaces_itself: ({ url }: Url) =>
    `A script on the page replaced it with another document (${url}) while it was shown.`,
  still_loading: ({ seconds, waiting_for: url }: Seconds & { readonly waiting_for: string | null }) =>
    `The page was still loading after ${seconds} seconds${url === null ? '' : `, waiting for ${url}`}. ` +
    'Visitors see no content until it has loaded. Make sure that its resources load in time, or load them with “async” or “defer”.',
  script_missing: ({ url, text }: Url & Text) =>
    `The page is nearly empty, because one of its scripts could not be loaded (${url}: ${text}). ` +
    'Check the page again when its server responds.',
  script_without_end: () =>
    'A script on the page runs endlessly (or keeps opening dialogs), so the page never becomes usable. ' +
    'Open the page in a browser and inspect its scripts with the developer tools.',
  page_timeout: ({ work, seconds }: Seconds & { readonly work: Work }) =>
    `${WORKS[work]} did not finish within ${seconds} seconds. The page is very large or a script keeps it busy.`,
  page_memory: () => `The page used more memory than allowed and was stopped. ${inspectMemory}`,
  page_windows: ({ max }: { readonly max: number }) => `The page opened more than ${max} windows.`,
  page_crashed: () => `The page crashed the browser. ${inspectMemory}`,
  page_closed_itself: () => 'The page closed itself.',
  browser_ended: () => 'The browser exited while the page was open.',
  page_given_up: () => 'The work on the page was canceled.',
  page_work_stopped: ({ work, text }: Text & { readonly work: Work }) => `${WORKS[work]} stopped: ${text}`,
  browser_unavailable: ({ text }: Text) => text,

  device_unknown: () =>
    "This version of sitewarden no longer supports the report's device. Create a report with another device",
  check_never_ended: ({ times }: { readonly times: number }) =>
    `The check of this page was started ${times} times and never finished`,
  check_error: ({ text }: Text) => text,
  check_broke_off: () => 'The check was interrupted by an error in this service; see its log',
  check_not_saved: () => 'The result of the check could not be saved because of an error in this service; see its log',
  credits_over_for_check: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'No credits left: the check did not run. Check the page again when you have more credits'
      : 'The guest has no credits left this month: the check did not run. Check the page again next month',
  credits_over_for_rendering: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'No credits left: the page was not rendered'
      : 'The guest has no credits left this month: the page was not rendered',
};
