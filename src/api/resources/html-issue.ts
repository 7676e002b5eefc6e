import type { PageIssue } from '../../store/issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { pageIssueEndpoints } from '../page-issue-endpoints.ts';
import { ISSUE_QUERIES } from '../parameters.ts';

/** Section 2.6 of the contract. */
export function htmlIssueAttributes(issue: PageIssue) {
  return {
    issue_type: issue.issue_type,
    issue_sub_type: issue.issue_sub_type,
    message: issue.message,
    // The engine keeps each place as the contract shows it: extract and coordinates.
    html: issue.occurrences,
    tags: issue.tags,
    how_many: issue.how_many,
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const HTML_ISSUE_ENDPOINTS = pageIssueEndpoints({
  kind: 'html',
  type: 'html_issue',
  pro: false,
  query: ISSUE_QUERIES.html,
  attributes: htmlIssueAttributes,
});
