import type { PageTest } from '../login.ts';
import { conditionsInWords, type NamedStep, stepInWords } from './step-words.ts';
import { type AnyFailure, inSeconds, type Wording } from './wording.ts';

interface Seconds {
  readonly seconds: number;
}

/** Why the login of a report did not work. Without a full stop. */
export const LOGIN_FAILURES = {
  login_failed: ({ why }: { readonly why: AnyFailure }, { describe }: Wording) =>
    `The login did not work: ${describe(why)}`,
  login_missing: () => 'The site has no login: add its steps',
  login_step_failed: ({ why, ...named }: NamedStep & { readonly why: AnyFailure }, { describe }: Wording) =>
    `step ${named.step} (${stepInWords(named)}) failed: ${describe(why)}`,
  login_page_not_opened: ({ text }: { readonly text: string }) => `the page could not be opened (${text})`,
  login_page_status: ({ status }: { readonly status: number }) => `the page returned ${status}`,
  login_element_missing: ({ seconds }: Seconds) => `no element matched the selector within ${inSeconds(seconds)}`,
  login_element_unusable: ({ seconds }: Seconds) =>
    `the element was hidden, disabled or covered, or could not be used in this way, for ${inSeconds(seconds)}`,
  login_option_missing: ({ seconds }: Seconds) => `the option did not appear in the list within ${inSeconds(seconds)}`,
  login_code_not_free: ({ seconds }: Seconds) =>
    `other logins used the one-time passwords of this key for ${inSeconds(seconds)}: use a separate account for each site`,
  login_not_met: ({ url, seconds }: Seconds & { readonly url: string }) =>
    `the page at ${url} did not meet the condition within ${inSeconds(seconds)}`,
  login_not_signed_in: ({ url }: { readonly url: string }) =>
    `after the last step, the page at ${url} does not look signed in: check the steps, the name and the password`,
  login_code_refused: ({ url }: { readonly url: string }) =>
    `after the last step, the page at ${url} asks for the one-time password again: check its key, the clock of this machine, and the password if both are in one form`,
  login_test_not_met: ({ url, test }: { readonly url: string; readonly test: PageTest }) =>
    `after the last step, the page at ${url} is not a login page, but does not meet the condition that shows a signed-in user (${conditionsInWords(test)}): correct this condition, or add the missing steps`,
  login_ends_elsewhere: ({ url }: { readonly url: string }) =>
    `it ends at ${url}, whose origin differs from the origin of the starting URL: add steps that lead to the site, or use that URL as the starting URL`,
  login_broke_off: ({ why }: { readonly why: AnyFailure }, { describe }: Wording) =>
    `the browser could not complete it: ${describe(why)}`,
  login_not_tried_in_time: ({ seconds }: Seconds) =>
    `it took longer than ${inSeconds(seconds)}, including waits for the browser and for one-time passwords: try again`,
  login_too_often: ({ max }: { readonly max: number }) =>
    `the site ended the session ${max} times, which is the limit for a report: use a session that lasts longer`,
  login_too_long: ({ minutes }: { readonly minutes: number }) =>
    `signing in took ${minutes} minutes in all, which is the limit for a report: use a session that lasts longer`,
  login_not_kept: ({ times }: { readonly times: number }) =>
    `The session ended each of the ${times} times that the page was requested. If the page signs users out, exclude its URL. Otherwise, sessions expire before the page can be requested: extend them for this user`,
};
