import Type from 'typebox';
import { DECIMAL_ID, LIFE } from '../../domain/schemas.ts';
import type { CommonIssueRow } from '../../store/common-issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { A11Y_RULE, ruleAttributes } from './a11y-rule.ts';
import { COMMON, commonIssueEndpoints, commonIssueRelationships } from './common-issue-endpoints.ts';
import { ISSUE_QUERIES } from './parameters.ts';

/** Section 2.5 of the contract. */
const COMMON_A11Y_ISSUE = resourceType('common_a11y_issue', {
  description: 'One kind of accessibility issue in a whole report.',
  id: DECIMAL_ID,
  attributes: Type.Object({ ...COMMON, ...A11Y_RULE.properties, ...LIFE }),
  relationships: commonIssueRelationships('common_a11y_issue_id'),
});

export function commonA11yIssueAttributes(issue: CommonIssueRow): AttributesOf<typeof COMMON_A11Y_ISSUE> {
  return {
    report_id: issue.report_id,
    ...ruleAttributes(issue),
    how_many: issue.how_many,
    num_web_pages: issue.num_web_pages,
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const COMMON_A11Y_ISSUE_ENDPOINTS = commonIssueEndpoints({
  kind: 'a11y',
  type: COMMON_A11Y_ISSUE,
  pro: true,
  query: ISSUE_QUERIES.a11y,
  attributes: commonA11yIssueAttributes,
});
