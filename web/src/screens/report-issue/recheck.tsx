import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { isShortOfCredits } from 'sitewarden-client/errors';
import { recheckIssue } from '../../api/changes/web-page.ts';
import type { CommonIssue } from '../../api/queries/common-issues.ts';
import { rechecksQuery, reportQuery } from '../../api/queries/reports.ts';
import { reasonOf } from '../../lib/formats.ts';
import { type Kind, kindsOf } from '../../lib/kinds.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { useReport } from '../../report/report-context.tsx';
import { Receipt } from './receipt.tsx';

interface Recheck {
  readonly isBusy: boolean;
  /** The price: all kinds of checks of each page. */
  readonly credits: number;
  /** The progress and the result of the re-check; nothing before the first one. */
  readonly note: ReactNode;
  start(): void;
}

/** Re-checks the pages of an issue type, and shows the result. */
export function useRecheck(kind: Kind, issue: CommonIssue): Recheck {
  const { report } = useReport();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      await recheckIssue(report.id, kind, issue.id);
      const changed = [reportQuery(report.id), rechecksQuery(report.id)];
      await Promise.all(changed.map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
      setError(null);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    credits: issue.num_web_pages * kindsOf(report).length,
    start: () => void start(),
    note: (
      <>
        {error === null ? null : (
          <ErrorNote
            title="The pages could not be re-checked"
            detail={reasonOf(error)}
            way={isShortOfCredits(error) ? <Link to="/account/credits">Your credits</Link> : null}
          />
        )}
        <Receipt kind={kind} issue={issue.id} />
      </>
    ),
  };
}
