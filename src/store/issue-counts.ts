import { sql } from 'kysely';
import type { CheckKind, FoundIssue } from '../domain/check.ts';
import type { Executor } from './database.ts';

/** Occurrences by type and, for engines that grade, by impact. */
export interface IssueSums {
  readonly errors: number;
  readonly warnings: number;
  readonly minor: number;
  readonly moderate: number;
  readonly serious: number;
  readonly critical: number;
}

export const NO_ISSUES: IssueSums = { errors: 0, warnings: 0, minor: 0, moderate: 0, serious: 0, critical: 0 };

type CountedIssue = Pick<FoundIssue, 'type' | 'impact' | 'howMany'>;

/** The counts of one check: occurrences, not kinds. Errors and warnings together make up the impacts. */
export function countIssues(issues: readonly CountedIssue[]): IssueSums {
  const sums = { ...NO_ISSUES };
  for (const issue of issues) {
    sums[issue.type === 'error' ? 'errors' : 'warnings'] += issue.howMany;
    if (issue.impact !== null) sums[issue.impact] += issue.howMany;
  }
  return sums;
}

export function addSums(a: IssueSums, b: IssueSums): IssueSums {
  return {
    errors: a.errors + b.errors,
    warnings: a.warnings + b.warnings,
    minor: a.minor + b.minor,
    moderate: a.moderate + b.moderate,
    serious: a.serious + b.serious,
    critical: a.critical + b.critical,
  };
}

export function subtractSums(a: IssueSums, b: IssueSums): IssueSums {
  return {
    errors: a.errors - b.errors,
    warnings: a.warnings - b.warnings,
    minor: a.minor - b.minor,
    moderate: a.moderate - b.moderate,
    serious: a.serious - b.serious,
    critical: a.critical - b.critical,
  };
}

export interface CheckCounts extends IssueSums {
  readonly pending: number;
  readonly checked: number;
  readonly failed: number;
}

/** Moves a report's counts of a kind of check by the given differences. */
export async function addCheckCounts(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  change: CheckCounts,
): Promise<void> {
  await sql`
    UPDATE report_checks SET pending = pending + ${change.pending}, checked = checked + ${change.checked},
      failed = failed + ${change.failed}, errors = errors + ${change.errors}, warnings = warnings + ${change.warnings},
      minor = minor + ${change.minor}, moderate = moderate + ${change.moderate}, serious = serious + ${change.serious},
      critical = critical + ${change.critical}
    WHERE report_id = ${reportId} AND kind = ${kind}`.execute(db);
}
