import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { recheckPage } from '../../api/changes/web-page.ts';
import type { Item } from '../../api/client.ts';
import { webPageQuery } from '../../api/queries/web-page.ts';
import { KIND_NAMES, KINDS } from '../../lib/kinds.ts';
import { useChange } from '../../live/use-change.ts';
import { useReport } from '../../report/report-context.tsx';

/** The result of the last re-check of a page, for all checks. */
export interface Receipt {
  readonly checkedAt: string;
  readonly fixed: number;
  readonly still: number;
  readonly added: number;
  /** Whether occurrences changed on the same page because a check has another version. */
  readonly isByEngine: boolean;
  /** Whether occurrences changed although page and check are the same. */
  readonly isByMeasurement: boolean;
}

export interface Recheck {
  readonly isRunning: boolean;
  /**
   * Whether it is running or was just requested. A line that says so would move the screen, and again if the request is refused.
   */
  readonly isBusy: boolean;
  /** Null until a re-check ends, and if no check has an earlier result to compare with. */
  readonly receipt: Receipt | null;
  start(): void;
}

/** Re-checks a page, and returns the result of the last re-check. */
export function useRecheck(page: Item<'web_page'>): Recheck {
  const { report } = useReport();
  const queries = useQueryClient();
  const change = useChange();
  const [isRequested, setRequested] = useState(false);
  const isRunning = page.status === 'pending' || page.status === 'checking';
  const start = async (): Promise<void> => {
    const of = webPageQuery(report.id, page.id).queryKey;
    setRequested(true);
    await change(async () => queries.setQueryData(of, await recheckPage(report.id, page.id)));
    setRequested(false);
  };
  const receipt = isRunning ? null : receiptOf(page);
  return { isRunning, isBusy: isRunning || isRequested, receipt, start: () => void start() };
}

function receiptOf(page: Item<'web_page'>): Receipt | null {
  const checks = KIND_NAMES.flatMap((kind) => page[KINDS[kind].check]?.recheck ?? []);
  const times = checks.map(({ checked_at: time }) => time).sort();
  const checkedAt = times.at(-1);
  if (checkedAt === undefined) return null;
  return {
    checkedAt,
    fixed: checks.reduce((sum, { fixed }) => sum + fixed, 0),
    still: checks.reduce((sum, { still }) => sum + still, 0),
    added: checks.reduce((sum, { new: added }) => sum + added, 0),
    isByEngine: checks.some(({ cause }) => cause === 'engine'),
    isByMeasurement: checks.some(({ cause }) => cause === 'measurement'),
  };
}
