import { a11yIssueAttributes } from '../api/resources/a11y-issue.ts';
import { htmlIssueAttributes } from '../api/resources/html-issue.ts';
import { shortened } from '../platform/shorten.ts';
import type { ExampleIssue } from '../store/issues.ts';
import { plainLine } from './text-layout.ts';

/** Source that is longer than this keeps its start and its end. */
const SOURCE_CHARACTERS_MAX = 200;

/** Where the first place of an issue is, what stands there, and what explains it: a line each. */
export function detailsOf(issue: ExampleIssue): string[] {
  const place = issue.kind === 'html' ? htmlPlace(issue) : a11yPlace(issue);
  const rule = issue.rule_id === null ? [] : [`rule ${issue.rule_id}`];
  return [...place.map(plainLine), ...rule, ...(issue.help_url === null ? [] : [issue.help_url])];
}

function htmlPlace(issue: ExampleIssue): string[] {
  const [place] = htmlIssueAttributes(issue).html;
  if (place === undefined) return [];
  const { first_line: line, first_column: column } = place.coordinates;
  const where = column === null ? `line ${line}` : `line ${line}, column ${column}`;
  return [`${where}: ${source(place.extract)}`];
}

function a11yPlace(issue: ExampleIssue): string[] {
  const { html, targets } = a11yIssueAttributes(issue, { url: issue.page_url });
  const [element = ''] = html;
  // From frame to frame, and from shadow root to shadow root.
  const selector = (targets[0] ?? []).flat().join(' >> ');
  return [`${selector}: ${source(element)}`];
}

function source(text: string): string {
  return shortened(plainLine(text), SOURCE_CHARACTERS_MAX);
}
