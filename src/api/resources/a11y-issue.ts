import Type, { type Static } from 'typebox';
import type { Json } from '../../domain/check.ts';
import { ADDITIVE, count, DECIMAL_ID, LIFE, nullable, texts, webAddress } from '../../domain/schemas.ts';
import type { PageIssue } from '../../store/issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { A11Y_RULE, ruleAttributes } from './a11y-rule.ts';
import { OMITTED, omittedFrom, PAGE_ISSUE_RELATIONSHIPS, pageIssueEndpoints } from './page-issue-endpoints.ts';
import { ISSUE_QUERIES } from './parameters.ts';

/** Selectors that lead to an element: one a frame, each with one a shadow root where there are any. */
const TARGET = Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]));

/** An affected element, as the engine keeps it. */
type AffectedElement = Readonly<{ html: string; target: Static<typeof TARGET>; failure_summary: string }>;

/** Section 2.7 of the contract. */
const A11Y_ISSUE = resourceType('a11y_issue', {
  description: 'One rule that a web page, or a frame in it, does not or may not keep, with all affected elements.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    ...A11Y_RULE.properties,
    url: webAddress('The document: the web page, or a frame in it.'),
    html: texts('The affected elements, in the order of the document.', {
      examples: [['<img src="/logo.png">']],
    }),
    targets: Type.Array(TARGET, {
      description:
        'For each element the selectors that lead to it: one a frame, the last for the element itself. Where it is in shadow roots, these are an array.',
      examples: [[['header > img']]],
      ...ADDITIVE,
    }),
    failure_summary: nullable(Type.String(), 'What would mend it, in sentences; null where axe says nothing.', {
      examples: ['Fix any of the following:\n  Element does not have an alt attribute'],
      ...ADDITIVE,
    }),
    how_many: count('Affected elements.', { examples: [1], ...ADDITIVE }),
    omitted: OMITTED,
    ...LIFE,
  }),
  relationships: PAGE_ISSUE_RELATIONSHIPS,
});

export function a11yIssueAttributes(issue: PageIssue, page: { readonly url: string }): AttributesOf<typeof A11Y_ISSUE> {
  const elements = elementsOf(issue.occurrences);
  return {
    ...ruleAttributes(issue),
    url: issue.url ?? page.url,
    html: elements.map(({ html }) => html),
    targets: elements.map(({ target }) => target),
    failure_summary: summaryOf(elements),
    how_many: issue.how_many,
    omitted: omittedFrom(issue),
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const A11Y_ISSUE_ENDPOINTS = pageIssueEndpoints({
  kind: 'a11y',
  type: A11Y_ISSUE,
  pro: true,
  query: ISSUE_QUERIES.a11y,
  attributes: a11yIssueAttributes,
});

/** The affected elements, in document order. */
function elementsOf(occurrences: Json): readonly AffectedElement[] {
  return occurrences as readonly AffectedElement[];
}

/** What is wrong with the elements: mostly the same for all of them, so each text once. Null when nothing is said. */
function summaryOf(elements: readonly AffectedElement[]): string | null {
  const texts = new Set(elements.map((element) => element.failure_summary).filter((text) => text !== ''));
  return texts.size === 0 ? null : [...texts].join('\n\n');
}
