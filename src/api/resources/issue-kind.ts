import Type from 'typebox';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { IMPACTS } from '../../domain/check.ts';
import { ADDITIVE, issueType, nullable } from '../../domain/schemas.ts';

/** Attributes that say what kind of issue something is about. */

export const KIND = Type.Enum([...CHECK_KINDS], { description: 'The kind of check.', examples: ['html'] });

/** What people recognize a kind of issue by. */
export const NAMED_ISSUE = {
  kind: KIND,
  message: Type.String({ description: 'The message, or the help of the rule.', examples: ['Duplicate ID “main”.'] }),
  rule_id: nullable(Type.String(), 'The id of the rule; null if rules have no ids.', {
    examples: [null, 'image-alt'],
  }),
  impact: nullable(Type.Enum([...IMPACTS]), 'The impact; null for checks that do not grade their issues.', {
    examples: [null, 'critical'],
  }),
};

/** The same with what identifies it. */
export const IDENTIFIED_ISSUE = {
  ...NAMED_ISSUE,
  fingerprint: Type.String({
    description: 'Identifies the kind of issue in all reports.',
    examples: ['0f3a5b8c1d2e4f60718293a4b5c6d7e8'],
  }),
  issue_type: issueType(),
};

/** How to fix an issue. */
export const REMEDY = {
  remedy: nullable(Type.String(), 'How to fix it, in one or two sentences; null if only its message says it.', {
    examples: ['Give each element its own ID, and change the labels, links and scripts that refer to it.'],
    ...ADDITIVE,
  }),
};
