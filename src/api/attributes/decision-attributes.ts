import Type from 'typebox';
import { DECISION_SCOPES, VERDICTS } from '../../domain/decision.ts';
import { ADDITIVE, nullable, TIMESTAMP } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { commentMaxCharacters } from '../../reports/definition/limits.ts';
import type { ShownDecision } from '../../store/decisions/issue-decision.ts';

export const SCOPE = Type.Enum([...DECISION_SCOPES], {
  description:
    'What it applies to: `occurrence`, this occurrence on this page; `cause`, all occurrences in its cluster on the site; or `rule`, all occurrences of its issue type on the site. The most specific decision about an occurrence applies.',
  examples: ['cause'],
});
export const VERDICT = Type.Enum([...VERDICTS], {
  description:
    'The decision: `error` (it counts as an error), `not_an_error` (it does not count), or `later` (it counts as before, but is no longer listed with `filter[verdict]=none`).',
  examples: ['error'],
});
export const NOTE = {
  maxLength: commentMaxCharacters,
  description: `Why, at most ${commentMaxCharacters} characters. Visible to everyone who can see the report.`,
  examples: ['The photo behind the heading is dark everywhere.'],
};
export const ASSESSOR = {
  maxLength: 200,
  description: 'Who decided. Visible to everyone who can see the report. Empty if unknown.',
  examples: ['Ada Lovelace'],
};

/** What readers of an issue see of the decision about it. */
export const ISSUE_DECISION = {
  decision: nullable(
    Type.Object({
      id: Type.String({ description: 'The id of the decision.', examples: ['4711'] }),
      scope: SCOPE,
      verdict: VERDICT,
      note: Type.String(NOTE),
      assessor: Type.String(ASSESSOR),
      decided_at: Type.With(TIMESTAMP, { description: 'When it was made or last changed.' }),
    }),
    'The decision of a person about it; null if there is none.',
    { examples: [null], ...ADDITIVE },
  ),
};

/** Renders this attribute. */
export function decisionAttributes(decision: ShownDecision | null) {
  if (decision === null) return { decision };
  const { id, decided_at, ...rest } = decision;
  return { decision: { id: String(id), ...rest, decided_at: utcTime(new Date(decided_at)) } };
}
