import { belongsTo } from '../../packages/client/standards.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import type { ReportModel } from './report-model.ts';
import { requirementsOf, type StandardScope } from './standard-criteria.ts';
import { failedTags } from './wcag.ts';

/** Issue types that are listed. */
const ISSUE_TYPES_MAX = 500;

/** What automated checks found about a standard. */
export interface StatementFindings {
  /** Failures by the criterion in the words of the standard, in the order of its numbers. */
  readonly failures: ReadonlyMap<string, readonly CommonIssueRow[]>;
  /** Results that a person must review. */
  readonly reviews: readonly CommonIssueRow[];
  /** The number of failures and results to review beyond the maximum. */
  readonly left: number;
  /** The number of failures of rules that do not belong to the standard. */
  readonly notRequired: number;
}

/** @param engine undefined if no check of the report tests success criteria */
export async function statementFindings(
  model: ReportModel,
  engine: EngineDescription | undefined,
  scope: StandardScope,
): Promise<StatementFindings> {
  const failures = new Map<string, CommonIssueRow[]>();
  const reviews: CommonIssueRow[] = [];
  let notRequired = 0;
  let listed = 0;
  let left = 0;
  for await (const issueType of engine === undefined ? [] : model.issueTypes(engine)) {
    const titles = titlesOf(issueType, scope);
    if (titles.length === 0) {
      if (issueType.issue_type === 'error') notRequired += 1;
      continue;
    }
    if (listed === ISSUE_TYPES_MAX) {
      left += 1;
      continue;
    }
    listed += 1;
    if (issueType.issue_type !== 'error') reviews.push(issueType);
    else for (const title of titles) failures.getOrInsertComputed(title, () => []).push(issueType);
  }
  const inOrder = [...failures].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return { failures: new Map(inOrder), reviews, left, notRequired };
}

/** Returns the criteria that an issue type is about; none if the standard does not contain its rule. */
function titlesOf(issueType: CommonIssueRow, scope: StandardScope): readonly string[] {
  const titles = requirementsOf(failedTags(issueType), scope).map(({ title }) => title);
  return titles.length === 0 && belongsTo(scope.standard, issueType.tags)
    ? [`${scope.name}, other requirements`]
    : titles;
}
