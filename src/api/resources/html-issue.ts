import Type, { type Static } from 'typebox';
import { count, DECIMAL_ID, issueType, LIFE, nullable, texts } from '../../domain/schemas.ts';
import type { PageIssue } from '../../store/issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { OMITTED, omittedFrom, PAGE_ISSUE_RELATIONSHIPS, pageIssueEndpoints } from './page-issue-endpoints.ts';
import { ISSUE_QUERIES } from './parameters.ts';

/** What makes an HTML issue the kind that it is. */
export const HTML_KIND = {
  issue_type: issueType(),
  issue_sub_type: nullable(
    Type.String(),
    'A finer classification by the validator: `fatal` for errors that ended its reading, `info` for warnings that are but remarks; mostly null.',
    { examples: [null] },
  ),
  message: Type.String({
    description:
      "The validator's message. Of one with more than 4,096 characters the start and the end, with `…` between.",
    examples: ['Duplicate ID “main”.'],
  }),
  tags: texts('What the message is about, in words of a fixed vocabulary that outlives its wording.', {
    examples: [['duplicate id', 'id']],
  }),
};

const HTML_PLACES = Type.Array(
  Type.Object({
    extract: Type.String({ description: 'The source around the place.', examples: ['<div id="main">'] }),
    coordinates: Type.Object(
      {
        first_line: count('Line in which the place begins, from 1.', { examples: [12] }),
        last_line: count('Line in which it ends.', { examples: [12] }),
        first_column: nullable(
          Type.Integer({ minimum: 0 }),
          'Column in which it begins, from 1; null where the validator names none.',
          { examples: [5] },
        ),
        last_column: count('Column in which it ends.', { examples: [19] }),
        hilite_start: count('Where the place begins in `extract`, in characters from 0.', { examples: [0] }),
        hilite_length: count('How many characters of `extract` it takes.', { examples: [15] }),
      },
      { description: 'Where in the source it is.' },
    ),
  }),
  { description: 'The places, in the order of the document.' },
);

/** Section 2.6 of the contract. */
const HTML_ISSUE = resourceType('html_issue', {
  description: 'One kind of HTML issue on one web page, with all its places.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    ...HTML_KIND,
    html: HTML_PLACES,
    how_many: count('Places on this page.', { examples: [1] }),
    omitted: OMITTED,
    ...LIFE,
  }),
  relationships: PAGE_ISSUE_RELATIONSHIPS,
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
    omitted: omittedFrom(issue),
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
