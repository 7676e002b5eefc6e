import Type from 'typebox';
import { type Effect, HINDRANCES } from '../../checks/engine-description.ts';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { IMPACTS } from '../../domain/check.ts';
import { ADDITIVE, count, issueType, nullable } from '../../domain/schemas.ts';

/** Attributes that identify an issue type. */

export const KIND = Type.Enum([...CHECK_KINDS], { description: 'The type of check.', examples: ['html'] });

/** The attributes by which people recognize an issue type. */
export const NAMED_ISSUE = {
  kind: KIND,
  message: Type.String({
    description: 'The message, or the help text of the rule.',
    examples: ['Duplicate ID “main”.'],
  }),
  rule_id: nullable(Type.String(), 'The id of the rule; null for checks whose rules have no ids.', {
    examples: [null, 'image-alt'],
  }),
  impact: nullable(Type.Enum([...IMPACTS]), 'The impact; null for checks that do not grade their issues.', {
    examples: [null, 'critical'],
  }),
};

/** The same attributes, and those that identify the issue type. */
export const IDENTIFIED_ISSUE = {
  ...NAMED_ISSUE,
  fingerprint: Type.String({
    description: 'Identifies the issue type in all reports.',
    examples: ['0f3a5b8c1d2e4f60718293a4b5c6d7e8'],
  }),
  issue_type: issueType(),
};

/** The changes of the occurrences of an issue type. */
export const OCCURRENCES_BY_CHANGE = Type.Object(
  {
    new: count('Occurrences that were not in the earlier report.', { examples: [2] }),
    regressed: count('Occurrences that had been fixed in an earlier report and are back.', { examples: [0] }),
    not_checked_before: count(
      'Occurrences that an even earlier report had, on pages that the earlier report did not check.',
      { examples: [0] },
    ),
    persisting: count('Occurrences that both reports have.', { examples: [4] }),
    fixed: count('Occurrences only in the earlier report.', { examples: [0] }),
    unverified: count(
      'Occurrences of the earlier report on pages that were not checked this time, or that have more than 20,000 occurrences for this type of check in one of the reports.',
      { examples: [0] },
    ),
  },
  { description: 'Occurrences by change.' },
);

/** How to fix an issue. */
export const REMEDY = {
  remedy: nullable(Type.String(), 'How to fix it, in one or two sentences; null if the message is the only guidance.', {
    examples: ['Give each element its own ID, and change the labels, links and scripts that refer to it.'],
    ...ADDITIVE,
  }),
};

/** What an issue means for visitors. */
export const EFFECT = {
  effect_on_visitors: nullable(
    Type.String(),
    "Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown.",
    { examples: ["People who use a screen reader don't hear what the image shows."], ...ADDITIVE },
  ),
  hindrance: Type.Enum([...HINDRANCES], {
    description:
      'How much it hinders visitors: `severe` for broken links, critical and serious barriers, and the worst HTML errors; `none` if browsers correct it.',
    examples: ['severe'],
    ...ADDITIVE,
  }),
};

/** Renders these attributes. */
export function effectAttributes({ words, hindrance }: Effect) {
  return { effect_on_visitors: words, hindrance };
}
