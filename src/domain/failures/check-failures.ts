/** What was done with a page in the browser. */
type Work = 'check' | 'rendering';
/** Whose credits ran out: the account's, or a guest's of the month. */
type Payer = 'account' | 'guest';

interface Seconds {
  readonly seconds: number;
}
interface Url {
  readonly url: string;
}
/** What another program said. */
interface Text {
  readonly text: string;
}

const WORKS: Readonly<Record<Work, string>> = { check: 'The accessibility check', rendering: 'The rendering' };
const lookAtIt = 'Open it in a browser and look at its memory with the developer tools.';

/** Why a page could not be checked or rendered, though there was a document. */
export const CHECK_FAILURES = {
  validator_unavailable: ({ text }: Text) => `The HTML validator is not available: ${text}`,
  validator_silent: ({ text }: Text) => `The HTML validator did not answer: ${text}`,
  validator_error_status: ({ status }: { readonly status: number }) =>
    `The HTML validator gave an unusable answer (status ${status})`,
  validator_unusable_answer: () => 'The HTML validator gave an unusable answer',
  validator_gave_up: ({ text }: Text) => text,
  validator_timeout: ({ seconds }: Seconds) =>
    `The HTML validator took longer than ${seconds} seconds. The page is very large, or has very many errors.`,
  entities_too_long: ({ characters }: { readonly characters: number }) =>
    `The entities that the page declares (<!ENTITY ...>) make it more than ${characters} characters longer, or are nested too deep to tell. Write out what they stand for`,
  html_answer_too_large: ({ mebibytes, text }: { readonly mebibytes: number; readonly text: string | null }) =>
    `The page has more HTML errors than a report can hold: they fill over ${mebibytes} MiB. ` +
    'Most likely one error is repeated all over the page; fix it, and check the page again.' +
    (text === null ? '' : ` The last error read was: ${text}`),
  a11y_answer_too_large: ({ characters }: { readonly characters: number }) =>
    `The accessibility issues of the page fill more than a report can hold (${characters} characters). ` +
    'Divide the page into several ones, or shorten its very long class names and ids, which each issue repeats.',
  too_much_found: () =>
    'The issues of the page fill more than a report can hold. ' +
    'Divide the page into several ones, or fix what is repeated all over it, and check it again.',

  page_late: ({ seconds }: Seconds) => `The page did not arrive in the browser within ${seconds} seconds.`,
  page_is_download: () => 'Browsers offer the page as a download instead of showing it (see its Content-Disposition).',
  page_not_shown: ({ text }: Text) => `The browser refused to show the page (${text}).`,
  cookie_refused: () =>
    'The browser does not take one of the cookies to sign in with. Those whose names begin with __Secure- or __Host- are ' +
    'taken on https alone: start from there, or give the cookies anew',
  leads_on: ({ url }: Url) =>
    `The page leads on to ${url} before a browser has read it to its end, so that nobody sees it. ` +
    'Check that address instead, and redirect to it with an HTTP status.',
  replaces_itself: ({ url }: Url) =>
    `A script on the page replaced it by another document (${url}) while it was shown.`,
  still_loading: ({ seconds, waiting_for: url }: Seconds & { readonly waiting_for: string | null }) =>
    `The page was still loading after ${seconds} seconds${url === null ? '' : `, waiting for ${url}`}. ` +
    'Nobody sees its content before. Let what it waits for answer in time, or load it with “async” or “defer”.',
  script_without_end: () =>
    'A script on the page runs without end (or opens dialogs without end), so that the page never becomes usable. ' +
    'Open the page in a browser and look at its scripts with the developer tools.',
  page_timeout: ({ work, seconds }: Seconds & { readonly work: Work }) =>
    `${WORKS[work]} of the page did not end within ${seconds} seconds. ` +
    'The page is very large, or a script keeps it busy.',
  page_memory: () => `The page took more memory than a page may, and was ended. ${lookAtIt}`,
  page_windows: ({ max }: { readonly max: number }) => `The page opened more than ${max} windows.`,
  page_crashed: () => `The page crashed the browser. ${lookAtIt}`,
  page_closed_itself: () => 'The page closed itself.',
  browser_ended: () => 'The browser ended while the page was in it.',
  page_given_up: () => 'The page was given up because the work on it was cancelled.',
  page_work_stopped: ({ work, text }: Text & { readonly work: Work }) => `${WORKS[work]} stopped: ${text}`,
  browser_unavailable: ({ text }: Text) => text,

  device_unknown: () =>
    'This version of sitewarden no longer knows the device of the report. Create a report with another one',
  check_never_ended: ({ times }: { readonly times: number }) =>
    `The check of this page was begun ${times} times and never ended`,
  check_error: ({ text }: Text) => text,
  check_broke_off: () => 'The check broke off through a fault of this service; its log says more',
  check_not_saved: () => 'What the check found could not be saved through a fault of this service; its log says more',
  credits_over_for_check: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'No credits left: the check did not run. Check the page again when there are new ones'
      : "No credits left in the guest's month: the check did not run. Check the page again next month",
  credits_over_for_rendering: ({ payer }: { readonly payer: Payer }) =>
    payer === 'account'
      ? 'No credits left: the page was not rendered'
      : "No credits left in the guest's month: the page was not rendered",
};
