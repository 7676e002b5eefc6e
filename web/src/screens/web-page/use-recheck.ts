import { useQuery, useQueryClient } from '@tanstack/react-query';
import { recheckPage } from '../../api/changes/web-page.ts';
import type { Item } from '../../api/client.ts';
import { webPageQuery } from '../../api/queries/web-page.ts';
import { useReport } from '../../frame/report-context.tsx';
import { useChange } from '../../frame/use-change.ts';
import type { PageIssuesState } from './use-page-issues.ts';

/** What a re-check found, compared with what was there before it. */
export interface Receipt {
  readonly checkedAt: string;
  readonly fixed: number;
  readonly still: number;
  readonly added: number;
  /** Places that were not there before. */
  readonly isNew: (fingerprint: string | null) => boolean;
}

/** The places of a page when its re-check began. */
interface Before {
  readonly checkedAt: string | null;
  readonly places: ReadonlySet<string>;
}

export interface Recheck {
  readonly isRunning: boolean;
  /** Null before the end of a re-check, and if places cannot be told apart. */
  readonly receipt: Receipt | null;
  start(): void;
}

/** Checks a page again, and compares its places, which have the same fingerprints before and after. */
export function useRecheck(page: Item<'web_page'>, state: PageIssuesState): Recheck {
  const { report } = useReport();
  const queries = useQueryClient();
  const change = useChange();
  const key = ['recheck', page.id];
  const before = useQuery<Before | null>({
    queryKey: key,
    queryFn: () => null,
    enabled: false,
    initialData: null,
  }).data;
  const isRunning = page.status === 'pending' || page.status === 'checking';
  const start = async (): Promise<void> => {
    const of = webPageQuery(report.id, page.id).queryKey;
    queries.setQueryData<Before>(key, { checkedAt: page.last_checked_at, places: placesOf(state) });
    queries.setQueryData(of, { ...page, status: 'pending' as const });
    const isDone = await change(async () => queries.setQueryData(of, await recheckPage(report.id, page.id)));
    if (isDone) return;
    queries.setQueryData(of, page);
    queries.setQueryData<Before | null>(key, null);
  };
  const isOver = !isRunning && !state.isFetching && !state.isPending && page.last_checked_at !== before?.checkedAt;
  const hasReceipt = before !== null && page.status !== 'failed';
  return {
    // The page is known to be checked before its issues are.
    isRunning: isRunning || (hasReceipt && !isOver),
    receipt: !hasReceipt || !isOver ? null : receiptOf(before, placesOf(state), page),
    start: () => void start(),
  };
}

function placesOf({ issues }: PageIssuesState): ReadonlySet<string> {
  return new Set(
    issues.flatMap(({ places }) => places.flatMap(({ fingerprint }) => (fingerprint === null ? [] : [fingerprint]))),
  );
}

function receiptOf({ places }: Before, after: ReadonlySet<string>, page: Item<'web_page'>): Receipt {
  return {
    checkedAt: page.last_checked_at ?? page.updated_at,
    fixed: places.difference(after).size,
    still: places.intersection(after).size,
    added: after.difference(places).size,
    isNew: (fingerprint) => fingerprint !== null && !places.has(fingerprint),
  };
}
