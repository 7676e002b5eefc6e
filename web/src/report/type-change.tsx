import { OTHER_CHANGES, occurrenceWords } from 'sitewarden-client/changes';
import type { CommonIssue } from '../api/queries/common-issues.ts';
import { ChangeLabel } from './change-label.tsx';

/** The change of an issue type since the previous report: `▴ more: 2 new`. Empty without a previous report. */
export function TypeChange({ issue }: { readonly issue: CommonIssue }) {
  const { change, changed_occurrences: occurrences } = issue;
  if (change === null || occurrences === null) return null;
  const words = change === 'new' ? '' : occurrenceWords(occurrences, OTHER_CHANGES);
  return (
    <span>
      <ChangeLabel change={change} />
      {words === '' ? null : `: ${words}`}
    </span>
  );
}
