import type { CommonIssue } from '../api/queries/common-issues.ts';
import { count } from '../lib/formats.ts';
import { ChangeLabel } from './change-label.tsx';

/** What became of an issue type since the previous report: `▴ more, 4 → 6`. Nothing without a previous report. */
export function TypeChange({ issue }: { readonly issue: CommonIssue }) {
  const { change, how_many: now, how_many_before: before } = issue;
  if (change === null || before === null) return null;
  return (
    <span>
      <ChangeLabel change={change} />
      {change === 'more' || change === 'fewer' ? `, ${count(before)} → ${count(now)}` : null}
    </span>
  );
}
