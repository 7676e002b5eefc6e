import Type from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { RECHECK_CAUSES } from '../../domain/change.ts';
import { noteText } from '../../domain/check-note.ts';
import { CONSENT_OUTCOMES } from '../../domain/consent.ts';
import { codeOf, sentenceOf } from '../../domain/failures/failure.ts';
import { ADDITIVE, failureCode, nullable, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import type { WebPageCheck } from '../../store/pages/web-pages.ts';
import { engineSchema, issueCounts, issueCountsSchema, RECHECKED_OCCURRENCES } from './issue-counts.ts';

/** The check of a page by one engine, as an attribute of the page. */

const CHECK = {
  status: Type.Enum(['pending', 'checked', 'failed'], {
    description: 'The status of the check.',
    examples: ['checked'],
  }),
  error: nullable(Type.String(), 'Why the check failed; null if it did not.', { examples: [null], ...ADDITIVE }),
  error_code: failureCode('error'),
  note: nullable(
    Type.String(),
    'A note about the check, for example that the page never settled or was nearly empty; null if there is none.',
    { examples: [null], ...ADDITIVE },
  ),
  recheck: nullable(
    Type.Object({
      ...RECHECKED_OCCURRENCES,
      cause: Type.Enum([...RECHECK_CAUSES], {
        description:
          'Why occurrences were fixed or are new. `site`: the site changed. `engine`: the document is the same, but the engine version is different. `measurement`: both are the same and no style sheet, script or font changed, so the result varies, or an image or data loaded by scripts changed.',
        examples: ['site'],
      }),
      checked_at: Type.String({ ...TIMESTAMP, description: 'When the check ended.' }),
    }),
    'The results of the last re-check for the occurrences, excluding muted ones; null if the page was not checked again, or if the results could not be compared because the check failed, had no previous result, or has more than 20,000 occurrences.',
    { examples: [null], ...ADDITIVE },
  ),
  reused_from: nullable(
    Type.Object({
      report_id: Type.Unsafe<string>({
        ...UUID,
        description: 'The report in which the page was checked. It may have been deleted since.',
      }),
      checked_at: Type.Unsafe<string>({ ...TIMESTAMP, description: 'When the page was checked.' }),
    }),
    'The earlier check whose result was reused, because nothing that the result depends on has changed; null if the page was checked for this report.',
    { examples: [null], ...ADDITIVE },
  ),
};

/** Only for checks that show pages. */
const SHOWN = {
  opened_states: nullable(
    Type.Integer({ minimum: 0 }),
    'How many states of the page were opened and checked, such as menus and dialogs; null without `explore_states`.',
    { examples: [null, 3], ...ADDITIVE },
  ),
  consent: nullable(
    Type.Enum([...CONSENT_OUTCOMES]),
    'The consent banner of the page: `dismissed` before the check, on this page or an earlier one; `kept`, because it is the first page of the report or because the banner could not be dismissed; `none` if it had none. Null without `consent` in the report.',
    { examples: [null, 'dismissed'], ...ADDITIVE },
  ),
};

export function checkSchema(engine: EngineDescription) {
  const schema = Type.Object({ ...issueCountsSchema(engine.isGraded), ...CHECK, ...(engine.showsPages && SHOWN) });
  return engineSchema(engine, schema, `The ${engine.words} check.`);
}

export function checkOf({ isGraded, showsPages }: EngineDescription, check: WebPageCheck | undefined) {
  if (check === undefined) return null;
  const { status, error, notes, recheck, reused_from: reusedFrom, found_at: foundAt } = check;
  const isReused = status === 'checked' && reusedFrom !== null && foundAt !== null;
  const remarks = {
    ...{ error: error && sentenceOf(error), error_code: codeOf(error), note: noteText(notes) },
    recheck: recheck && { ...recheck, checked_at: utcTime(new Date(recheck.checked_at)) },
    reused_from: isReused ? { report_id: reusedFrom, checked_at: utcTime(new Date(foundAt)) } : null,
  };
  const { opened_states, consent } = check;
  return { ...issueCounts(check, isGraded), status, ...remarks, ...(showsPages && { opened_states, consent }) };
}
