import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { deleteReport, shareReport } from '../../api/changes/reports.ts';
import type { Item, List } from '../../api/client.ts';
import { reportQuery } from '../../api/queries/reports.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { plural } from '../../lib/formats.ts';
import { useChange } from '../../live/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { namesOf, useRunAgain } from '../../report/use-run-again.ts';
import styles from './columns.module.css';

/** The actions on the selected reports. */
export function ChosenActions({
  reports,
  onDone,
}: {
  readonly reports: readonly Item<'report'>[];
  readonly onDone: () => void;
}) {
  const queries = useQueryClient();
  const runAgain = useRunAgain();
  const share = useShare();
  const urls = reports.map(({ starting_url: url }) => url);
  const shared = reports.filter((report) => report.shared);
  const remove = async (): Promise<void> => {
    try {
      for (const { id } of reports) await deleteReport(id);
    } finally {
      await Promise.all(['reports', 'sites', 'schedules'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
    }
    onDone();
  };
  return (
    <div className={styles.chosen}>
      <span role="status">{reports.length} selected:</span>
      <Button onClick={() => void runAgain(reports.map(({ id }) => id)).then(onDone)}>Run again</Button>
      {shared.length < reports.length ? (
        <Button onClick={() => void share(reports.filter((report) => !report.shared))}>Share</Button>
      ) : null}
      {shared.length > 0 ? (
        <AskButton
          label="Stop sharing…"
          title={`Stop sharing ${plural(shared.length, 'report')}?`}
          action="Stop sharing"
          run={() => share(shared, false)}
        >
          <p>Their links stop working immediately. If you share a report again, it gets a new link.</p>
        </AskButton>
      ) : null}
      <AskButton
        label="Delete…"
        look="danger"
        title={`Delete ${plural(reports.length, 'report')}?`}
        action="Delete"
        run={remove}
      >
        <p>{namesOf(urls)}</p>
        <p>All their pages and issues are deleted permanently.</p>
      </AskButton>
      <Button look="quiet" onClick={onDone}>
        Clear selection
      </Button>
    </div>
  );
}

/** Returns a function that starts or stops sharing reports. Lists show the change at once, and revert it if it is refused. */
function useShare(): (reports: readonly Item<'report'>[], shared?: boolean) => Promise<void> {
  const queries = useQueryClient();
  const change = useChange();
  return useCallback(
    async (reports, shared = true) => {
      const ids = new Set(reports.map(({ id }) => id));
      await queries.cancelQueries({ queryKey: ['reports'] });
      queries.setQueriesData<List<'report'>>(
        { queryKey: ['reports'] },
        (list) => list && { ...list, items: list.items.map((item) => (ids.has(item.id) ? { ...item, shared } : item)) },
      );
      await change(async () => {
        for (const id of ids) queries.setQueryData(reportQuery(id).queryKey, await shareReport(id, shared));
      });
      await queries.invalidateQueries({ queryKey: ['reports'] });
    },
    [queries, change],
  );
}
