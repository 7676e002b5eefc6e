import type { EngineDescription } from '../checks/engine-description.ts';
import { shortened } from '../platform/shorten.ts';
import type { PageIssue } from '../store/issues.ts';
import { plainLine } from './text-layout.ts';

/** Source that is longer than this keeps its start and its end. */
const SOURCE_CHARACTERS_MAX = 200;

/** Where the first place of an issue is, what stands there, and what explains it: a line each. */
export function detailsOf({ issues }: EngineDescription, issue: PageIssue): string[] {
  const place = issues.firstPlace(issue);
  const source = place === null ? '' : shortened(plainLine(place.source), SOURCE_CHARACTERS_MAX);
  return [
    ...(place === null ? [] : [plainLine(`${place.where}: ${source}`)]),
    ...(issue.rule_id === null ? [] : [`rule ${issue.rule_id}`]),
    ...(issue.help_url === null ? [] : [issue.help_url]),
  ];
}
