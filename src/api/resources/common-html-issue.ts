import type { CommonIssueRow } from '../../store/common-issues.ts';
import { commonIssueEndpoints } from '../common-issue-endpoints.ts';
import { ISSUE_QUERIES } from '../parameters.ts';

/** Section 2.4 of the contract. */
export function commonHtmlIssueAttributes(issue: CommonIssueRow) {
  return {
    report_id: issue.report_id,
    issue_type: issue.issue_type,
    issue_sub_type: issue.issue_sub_type,
    message: issue.message,
    tags: issue.tags,
    how_many: issue.how_many,
    num_web_pages: issue.num_web_pages,
  };
}

export const COMMON_HTML_ISSUE_ENDPOINTS = commonIssueEndpoints({
  kind: 'html',
  type: 'common_html_issue',
  pro: false,
  query: ISSUE_QUERIES.html,
  attributes: commonHtmlIssueAttributes,
});
