import Type from 'typebox';
import { DECIMAL_ID } from '../../domain/schemas.ts';
import type { CommonIssueRow } from '../../store/common-issues.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { COMMON, commonIssueEndpoints, commonIssueRelationships } from './common-issue-endpoints.ts';
import { HTML_KIND } from './html-issue.ts';
import { ISSUE_QUERIES } from './parameters.ts';

/** Section 2.4 of the contract. */
const COMMON_HTML_ISSUE = resourceType('common_html_issue', {
  description: 'One kind of HTML issue in a whole report.',
  id: DECIMAL_ID,
  attributes: Type.Object({ ...COMMON, ...HTML_KIND }),
  relationships: commonIssueRelationships('common_html_issue_id'),
});

export function commonHtmlIssueAttributes(issue: CommonIssueRow): AttributesOf<typeof COMMON_HTML_ISSUE> {
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
  type: COMMON_HTML_ISSUE,
  pro: false,
  query: ISSUE_QUERIES.html,
  attributes: commonHtmlIssueAttributes,
});
