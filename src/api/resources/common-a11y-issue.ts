import type { CommonIssueRow } from '../../store/common-issues.ts';
import { commonIssueEndpoints } from '../common-issue-endpoints.ts';
import { timestamp } from '../jsonapi/document.ts';
import { ISSUE_QUERIES } from '../parameters.ts';

/** Section 2.5 of the contract. */
export function commonA11yIssueAttributes(issue: CommonIssueRow) {
  return {
    report_id: issue.report_id,
    issue_type: issue.issue_type,
    rule_id: issue.rule_id,
    help: issue.message,
    help_url: issue.help_url,
    how_many: issue.how_many,
    num_web_pages: issue.num_web_pages,
    impact: issue.impact,
    impact_order: issue.impact_order,
    tags: issue.tags,
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const COMMON_A11Y_ISSUE_ENDPOINTS = commonIssueEndpoints({
  kind: 'a11y',
  type: 'common_a11y_issue',
  pro: true,
  query: ISSUE_QUERIES.a11y,
  attributes: commonA11yIssueAttributes,
});
