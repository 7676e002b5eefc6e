import type { Kind } from '../lib/kinds.ts';
import type { Severity } from '../parts/severity.tsx';

/** The attributes that issues of all checks have. */
interface Graded {
  readonly issue_type: 'error' | 'warning';
  readonly impact?: 'minor' | 'moderate' | 'serious' | 'critical' | null;
}

/** Returns the severity of an issue: the impact of a barrier, otherwise error or warning. Warnings of axe need human review. */
export function severityOf(issue: Graded, kind: Kind): Severity {
  if (kind === 'a11y') return issue.issue_type === 'warning' ? 'review' : (issue.impact ?? 'serious');
  return issue.issue_type;
}

/** Returns the problem: the message of the checker, or the requirement of the axe rule. */
export function messageOf(issue: { readonly message: string } | { readonly help: string }): string {
  return 'help' in issue ? issue.help : issue.message;
}
