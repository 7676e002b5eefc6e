import type { Kind } from '../lib/kinds.ts';
import type { Severity } from '../parts/severity.tsx';

/** What every issue has, whatever checked it. */
interface Graded {
  readonly issue_type: 'error' | 'warning';
  readonly impact?: 'minor' | 'moderate' | 'serious' | 'critical' | null;
}

/** Returns how bad an issue is: the impact of a barrier; else whether it is an error. Warnings of axe need review by a person. */
export function severityOf(issue: Graded, kind: Kind): Severity {
  if (kind === 'a11y') return issue.issue_type === 'warning' ? 'review' : (issue.impact ?? 'serious');
  return issue.issue_type;
}

/** Returns what is wrong: the message of a checker, or what the rule of axe requires. */
export function messageOf(issue: { readonly message: string } | { readonly help: string }): string {
  return 'help' in issue ? issue.help : issue.message;
}
