import { formatNumber } from '../amounts.ts';
import { type NamedStep, stepInWords } from './step-words.ts';
import { type AnyFailure, inSeconds, type Wording } from './wording.ts';

interface Why {
  readonly why: AnyFailure;
}

/** Why a mark of a journey has no document. Without a full stop. */
export const JOURNEY_FAILURES = {
  journey_step_failed: ({ why, ...named }: Why & NamedStep, { describe }: Wording) =>
    `Step ${named.step} of the journey (${stepInWords(named)}) failed: ${describe(why)}`,
  journey_broke_off: ({ why }: Why, { describe }: Wording) =>
    `The browser could not complete the journey: ${describe(why)}`,
  journey_too_long: ({ seconds }: { readonly seconds: number }) =>
    `The journey did not end within ${inSeconds(seconds)}: split it into several journeys`,
  journey_too_large: ({ megabytes }: { readonly megabytes: number }) =>
    `the marks of the journey take up more than ${megabytes} MB in total: split it into several journeys`,
  journey_secret_missing: () =>
    'The journey has secrets that are no longer stored, for example because the origin of the starting URL has changed: enter them again',
  journey_interrupted: () =>
    'sitewarden was stopped or lost its connection to the database during the journey, after steps that may have changed something on the site. So that nothing is ordered or sent twice, the journey was not performed again. To perform it again, check this page again',
  journey_unknown: () => 'The report has no such journey',
  rendered_dom_too_large: ({ characters }: { readonly characters: number }) =>
    `its DOM has more than ${formatNumber(characters)} characters`,
};
