import Type, { type Static } from 'typebox';
import type { PageIssue } from '../../store/issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { COUNT, DECIMAL_ID, nullable, TAGS, TIMESTAMP } from '../jsonapi/schemas.ts';
import { pageIssueEndpoints } from '../page-issue-endpoints.ts';
import { ISSUE_QUERIES } from '../parameters.ts';

/** What makes an HTML issue the kind that it is. */
export const HTML_KIND = {
  issue_type: Type.Enum(['error', 'warning']),
  issue_sub_type: nullable(Type.String({ examples: ['info'] })),
  message: Type.String({ examples: ['Duplicate ID “main”.'] }),
};

const HTML_PLACES = Type.Array(
  Type.Object({
    extract: Type.String(),
    coordinates: Type.Object({
      first_line: COUNT,
      last_line: COUNT,
      first_column: nullable(COUNT),
      last_column: COUNT,
      hilite_start: COUNT,
      hilite_length: COUNT,
    }),
  }),
);

/** Section 2.6 of the contract. */
const HTML_ISSUE = resourceType('html_issue', {
  id: DECIMAL_ID,
  attributes: Type.Object({
    ...HTML_KIND,
    html: HTML_PLACES,
    tags: TAGS,
    how_many: COUNT,
    inserted_at: TIMESTAMP,
    updated_at: TIMESTAMP,
  }),
  relationships: ['report', 'web_page'],
});

export function htmlIssueAttributes(issue: PageIssue): AttributesOf<typeof HTML_ISSUE> {
  return {
    issue_type: issue.issue_type,
    issue_sub_type: issue.issue_sub_type,
    message: issue.message,
    // The engine keeps each place as the contract shows it.
    html: issue.occurrences as Static<typeof HTML_PLACES>,
    tags: issue.tags,
    how_many: issue.how_many,
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const HTML_ISSUE_ENDPOINTS = pageIssueEndpoints({
  kind: 'html',
  type: HTML_ISSUE,
  pro: false,
  query: ISSUE_QUERIES.html,
  attributes: htmlIssueAttributes,
});
