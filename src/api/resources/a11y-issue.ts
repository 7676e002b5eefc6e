import type { Json } from '../../domain/check.ts';
import type { PageIssue } from '../../store/issues.ts';
import { timestamp } from '../jsonapi/document.ts';
import { pageIssueEndpoints } from '../page-issue-endpoints.ts';
import { ISSUE_QUERIES } from '../parameters.ts';

/** Section 2.7 of the contract. */
export function a11yIssueAttributes(issue: PageIssue, page: { readonly url: string }) {
  return {
    issue_type: issue.issue_type,
    rule_id: issue.rule_id,
    help: issue.message,
    help_url: issue.help_url,
    url: issue.url ?? page.url,
    html: fieldOf(issue.occurrences, 'html'),
    targets: fieldOf(issue.occurrences, 'target'),
    failure_summary: summaryOf(issue.occurrences),
    impact: issue.impact,
    impact_order: issue.impact_order,
    tags: issue.tags,
    how_many: issue.how_many,
    inserted_at: timestamp(issue.inserted_at),
    updated_at: timestamp(issue.updated_at),
  };
}

export const A11Y_ISSUE_ENDPOINTS = pageIssueEndpoints({
  kind: 'a11y',
  type: 'a11y_issue',
  pro: true,
  query: ISSUE_QUERIES.a11y,
  attributes: a11yIssueAttributes,
});

/** One field of every affected element, in document order. */
function fieldOf(occurrences: Json, field: 'html' | 'target' | 'failure_summary'): Json[] {
  if (!Array.isArray(occurrences)) return [];
  return occurrences.map((element) => element?.[field] ?? null);
}

/** What is wrong with the elements: mostly the same for all of them, so each text once. Null when nothing is said. */
function summaryOf(occurrences: Json): string | null {
  const texts = fieldOf(occurrences, 'failure_summary').filter((text) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? null : [...new Set(texts)].join('\n\n');
}
