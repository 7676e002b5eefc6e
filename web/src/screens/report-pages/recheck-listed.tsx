import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { recheckListed } from '../../api/changes/web-page.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { plural } from '../../lib/formats.ts';
import { kindsOf } from '../../lib/kinds.ts';
import { PAGES } from '../../lib/searches.ts';
import { webPagesQueryOf } from '../../lists/list-queries.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useReader, useReport } from '../../report/report-context.tsx';

/** Re-checks all pages that match the filters, such as pages that were not checked because credits ran out. */
export function RecheckListed({ total }: { readonly total: number }) {
  const { report } = useReport();
  const { account, mayChange } = useReader();
  const { search } = useSearchState(...PAGES);
  const queries = useQueryClient();
  const change = useChange();
  const say = useToast();
  const [isBusy, setBusy] = useState(false);
  if (!mayChange || total === 0) return null;
  const credits = total * kindsOf(report).length;
  const start = async (): Promise<void> => {
    setBusy(true);
    const isDone = await change(async () => recheckListed(report.id, webPagesQueryOf(search)));
    if (isDone) {
      await Promise.all(
        [['report', report.id], accountQuery.queryKey].map((queryKey) => queries.invalidateQueries({ queryKey })),
      );
      say(`Re-checking ${plural(total, 'page')}.`);
    }
    setBusy(false);
  };
  return (
    <Button isBusy={isBusy} onClick={() => (isBusy ? undefined : void start())}>
      Re-check {plural(total, 'page')}
      {account?.credits == null ? '' : ` (${plural(credits, 'credit')})`}
    </Button>
  );
}
