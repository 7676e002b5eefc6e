import { plural } from './amounts.ts';
import { inSeconds } from './failures/wording.ts';

/** A remark on how a page was checked, as a code and the parameters of its sentence. */
export type CheckNote =
  | {
      /** The page did not settle in time, and was checked before it did. */
      readonly code: 'never_at_rest';
      /** `waiting_for` is the URL of the longest pending request; null if the page kept changing. */
      readonly params: { readonly seconds: number; readonly waiting_for: string | null };
    }
  | {
      /** Nothing matched the selector of `wait_for` in time, and the page was checked without it. */
      readonly code: 'wait_for_missing';
      readonly params: { readonly selector: string; readonly seconds: number };
    }
  | {
      /** The page was nearly empty even after its scripts ran. */
      readonly code: 'nearly_empty';
      readonly params: Readonly<Record<string, never>>;
    }
  | {
      /** The server of the page failed to send data that its scripts requested, even when the check was repeated. */
      readonly code: 'data_missing';
      /** `text` is the status or the error of the first such request. */
      readonly params: { readonly url: string; readonly text: string };
    }
  | {
      /** Behind a login, the page sent requests that may change something, such as POST. `url` is the first. */
      readonly code: 'writes_blocked';
      readonly params: { readonly times: number; readonly url: string };
    }
  | {
      /** More elements of the page may open something than were opened. */
      readonly code: 'states_left';
      readonly params: { readonly opened: number; readonly left: number };
    }
  | {
      /** Time ran out before all elements that may open something were opened. Another check may open others. */
      readonly code: 'states_late';
      readonly params: { readonly opened: number; readonly left: number; readonly seconds: number };
    }
  | {
      /** The page hung or was replaced while it was in one of its states. */
      readonly code: 'states_broke_off';
      readonly params: { readonly opened: number };
    }
  | {
      /** The consent banner has no button that is known to make the choice, or the banner stays after a click on that button. */
      readonly code: 'banner_kept';
      readonly params: { readonly choice: 'accept' | 'reject' };
    }
  | {
      /** Matching the selectors of mutings took too long, so they were ignored for the rest of the page. */
      readonly code: 'selectors_ignored';
      readonly params: Readonly<Record<string, never>>;
    }
  | {
      /** The browser did not take the screenshot in time. */
      readonly code: 'screenshot_late';
      readonly params: { readonly seconds: number };
    }
  | {
      /** The screenshot exceeded the size limit. */
      readonly code: 'screenshot_too_large';
      readonly params: { readonly kilobytes: number };
    }
  | {
      /** The browser could not take the screenshot; `text` is its reason. */
      readonly code: 'screenshot_failed';
      readonly params: { readonly text: string };
    };

/** Returns the notes on how a result came about, without notes on the screenshot of the page. */
export function withoutScreenshot(notes: readonly CheckNote[]): readonly CheckNote[] {
  return notes.filter(({ code }) => !code.startsWith('screenshot_'));
}

/** Renders the notes on a check as sentences; null if there are none. */
export function noteText(notes: readonly CheckNote[]): string | null {
  return notes.length === 0 ? null : notes.map(sentenceOf).join(' ');
}

function sentenceOf(note: CheckNote): string {
  switch (note.code) {
    case 'never_at_rest': {
      const { seconds, waiting_for: url } = note.params;
      const reason = url === null ? 'it kept changing' : `a request was still pending (${url})`;
      return `The page was checked after ${inSeconds(seconds)}, before it had settled: ${reason}.`;
    }
    case 'wait_for_missing': {
      const { selector, seconds } = note.params;
      return seconds === 0
        ? `No element matches “${selector}”, and the page has no script that could add one.`
        : `No element matched “${selector}” within ${inSeconds(seconds)}, so the page was checked without it.`;
    }
    case 'nearly_empty':
      return 'The page was nearly empty even after its scripts ran, so there was little to check.';
    case 'data_missing': {
      const { url, text } = note.params;
      return `The page may be incomplete: its server failed to send data that it requested (${url}: ${text}).`;
    }
    case 'writes_blocked': {
      const { times, url } = note.params;
      const [requests, were, responses] =
        times === 1 ? ['a request', 'was', 'response'] : [plural(times, 'request'), 'were', 'responses'];
      return `The page sent ${requests} that may change something (${url}), which ${were} blocked: without the ${responses}, the page may look different.`;
    }
    case 'states_left': {
      const { opened, left } = note.params;
      return `${statesText(opened, left)} left out, because of the limits per page.`;
    }
    case 'states_late': {
      const { opened, left, seconds } = note.params;
      return `${statesText(opened, left)} left out, because the limit of ${inSeconds(seconds)} was reached. Another check may open more of them, and find other issues.`;
    }
    case 'states_broke_off':
      return `${note.params.opened === 0 ? 'No state' : `Only ${plural(note.params.opened, 'state')}`} of the page could be opened and checked before it stopped responding or showed another page.`;
    case 'banner_kept':
      return `The page was checked with its consent banner: no button to ${note.params.choice} cookies was recognized, or the button did not close the banner.`;
    case 'selectors_ignored':
      return 'Matching the selectors of mutings took too long, so some issues that they would mute may not be muted.';
    case 'screenshot_late':
      return `No screenshot: the browser did not take it within ${inSeconds(note.params.seconds)}.`;
    case 'screenshot_too_large':
      return `No screenshot: it would be larger than ${note.params.kilobytes} kB.`;
    case 'screenshot_failed':
      return `No screenshot: ${note.params.text}`;
  }
}

function statesText(opened: number, left: number): string {
  const states = `${plural(opened, 'state')} of the page ${opened === 1 ? 'was' : 'were'}`;
  const elements = `${plural(left, 'more element')} that may open something ${left === 1 ? 'was' : 'were'}`;
  return `${states} opened and checked; ${elements}`;
}
